from flask import Blueprint

blueprint = Blueprint("files", __name__)
