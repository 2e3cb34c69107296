from flask import Blueprint

blueprint = Blueprint("groups", __name__)
