from flask import Blueprint

blueprint = Blueprint("chips", __name__)
