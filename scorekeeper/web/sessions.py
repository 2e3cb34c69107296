from flask import Blueprint

blueprint = Blueprint("sessions", __name__)
