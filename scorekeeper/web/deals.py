from flask import Blueprint

blueprint = Blueprint("deals", __name__)
