from flask import Blueprint

blueprint = Blueprint("rules", __name__)
