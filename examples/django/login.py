"""A login service as Django makes it: accounts and sessions in PostgreSQL, the password with PBKDF2 or bcrypt."""
import json
import os
import sys

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path

settings.configure(
    SECRET_KEY="only-for-measurements",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": os.environ["DATABASE_HOST"],
            "NAME": "postgres",
            "USER": "login",
            "CONN_MAX_AGE": 600,
        }
    },
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware"],
    PASSWORD_HASHERS=[f"{__name__}.{os.environ['HASHER']}"],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
)
django.setup()

from django.contrib.auth import authenticate, login  # noqa: E402
from django.contrib.auth.hashers import BCryptSHA256PasswordHasher, PBKDF2PasswordHasher  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.db import IntegrityError  # noqa: E402


class PBKDF2(PBKDF2PasswordHasher):
    iterations = int(os.environ.get("ITERATIONS", PBKDF2PasswordHasher.iterations))


class BCrypt(BCryptSHA256PasswordHasher):
    rounds = int(os.environ.get("COST", BCryptSHA256PasswordHasher.rounds))


def sent(request):
    body = json.loads(request.body)
    return {"username": body["user"], "password": body["password"]}


def create(request):
    try:
        User.objects.create_user(**sent(request))
    except IntegrityError:
        return HttpResponse(status=409)
    return HttpResponse(status=201)


def log_in(request):
    user = authenticate(request, **sent(request))
    if user is None:
        return HttpResponse(status=401)
    login(request, user)  # a session in the database
    return HttpResponse(status=204)


def ready(request):
    return HttpResponse(status=204)


urlpatterns = [path("users", create), path("login", log_in), path("readyz", ready)]
application = get_wsgi_application()

if __name__ == "__main__":
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
