"""What follows `--` is Locust's, except what would change the permitted target or tell a secret."""

from __future__ import annotations

import pytest

from locustfiles.running.record import without_secrets
from meshcap.errors import UserError
from meshcap.locust_arguments import check_locust_arguments
from meshcap.target import resolve_target


@pytest.mark.parametrize(
    ("sentence", "arguments", "words"),
    [
        ("Another target would not have been permitted.", ["-H", "http://192.0.2.1/graphql"], "--target"),
        ("Nor in one word.", ["-Hhttp://192.0.2.1/graphql"], "--target"),
        ("Nor with an equals sign.", ["--host=http://192.0.2.1/graphql"], "--target"),
        ("Nor by a beginning of the option, which Locust takes too.", ["--hos", "http://192.0.2.1/"], "--target"),
        ("A key on the command line is everybody's to read.", ["--api-key", "da2-x"], "MESHCAP_API_KEY"),
        ("So is one by the option's beginning.", ["--api=da2-x"], "MESHCAP_API_KEY"),
        ("Another locustfile is another program.", ["-f", "mine.py"], "locust -f"),
        ("Several are told at once.", ["--scenario", "x", "--run-dir", "y"], "--runs"),
    ],
)
def test_what_is_meshcaps_own_is_refused_with_what_to_write_instead(
    sentence: str, arguments: list[str], words: str
) -> None:
    with pytest.raises(UserError, match=words) as refusal:
        check_locust_arguments(arguments)
    assert "da2-x" not in str(refusal.value)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--processes", "2"],
        ["-u", "5", "-r", "1", "-t", "10s"],
        ["--tags", "a", "--html", "x.html"],
        ["--run-time=5s"],
    ],
)
def test_the_rest_is_locusts(arguments: list[str]) -> None:
    check_locust_arguments(arguments)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["locust", "--api-key", "da2-x", "-u", "5"], ["locust", "--api-key", "***", "-u", "5"]),
        (["locust", "--api-key=da2-x"], ["locust", "--api-key=***"]),
        (["locust", "--api", "da2-x"], ["locust", "--api", "***"]),
        (["locust", "-H", "http://127.0.0.1:1/graphql"], ["locust", "-H", "http://127.0.0.1:1/graphql"]),
    ],
)
def test_a_plain_locust_run_records_its_command_without_the_key(given: list[str], kept: list[str]) -> None:
    assert without_secrets(given) == kept


def test_a_password_in_the_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(UserError, match="holds a user name or password") as refusal:
        resolve_target(
            "http://pupil:hunter2@127.0.0.1:1/graphql",
            table_name="T",
            api_id=None,
            region="ap-northeast-1",
            owned=False,
            environment={"MESHCAP_API_KEY": "da2-x", "AWS_ENDPOINT_URL": "http://127.0.0.1:1"},
        )
    assert "hunter2" not in str(refusal.value)
