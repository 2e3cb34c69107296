from flask import Blueprint

blueprint = Blueprint("settlement", __name__)
