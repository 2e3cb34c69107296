from flask import Blueprint

blueprint = Blueprint("links", __name__)
