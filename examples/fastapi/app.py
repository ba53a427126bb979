"""A login service with two ways to check a password: in a thread, and on the event loop."""

import os

import bcrypt
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

# A user who does not exist is compared with the hash, too, so that the time of a refusal does not
# say who has an account.
USER = os.environ["LOGIN_USER"]
HASH = os.environ["LOGIN_HASH"].encode()

app = FastAPI()


class Credentials(BaseModel):
    user: str
    password: str


def check(credentials: Credentials) -> None:
    matches = bcrypt.checkpw(credentials.password.encode(), HASH)
    if not matches or credentials.user != USER:
        raise HTTPException(401)


# FastAPI runs a function that is not async in a thread. bcrypt computes without Python's global
# lock, so the event loop can answer other requests meanwhile.
@app.post("/login", status_code=204)
def login(credentials: Credentials) -> None:
    check(credentials)


# An async function runs on the event loop, which answers nothing else until the hash is computed.
@app.post("/login-async", status_code=204)
async def login_async(credentials: Credentials) -> None:
    check(credentials)


@app.get("/healthz", status_code=204)
async def healthz() -> None:
    pass
