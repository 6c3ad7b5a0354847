"""`desk.toml`: good values, and one line that names file, key and limit for every bad one."""

import os
from pathlib import Path

import pytest

from backend.desk_file import DeskFile, read_desk_file
from backend.errors import AppError, ErrorCode, InvalidInput, StorageFailed
from backend.paths import Home
from backend.store.store_location import DatabaseServer, EmbeddedFile, check_address, store_location

PRIVATE = "hunter2"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    return made


def put(home: Home, text: str | bytes) -> None:
    data = text.encode() if isinstance(text, str) else text
    home.desk_toml.write_bytes(data)
    home.desk_toml.chmod(0o644)


def refusal(home: Home) -> AppError:
    before = home.desk_toml.read_bytes()
    with pytest.raises(AppError) as caught:
        read_desk_file(home)
    assert home.desk_toml.read_bytes() == before
    assert len(caught.value.detail.splitlines()) == 1
    assert str(home.desk_toml) in caught.value.detail
    return caught.value


def test_without_a_file_the_store_is_in_the_home_and_nothing_expires(home: Home) -> None:
    """clarification.md, improvement 12: off by default."""
    assert read_desk_file(home) == DeskFile(database="", expire_after=None)
    assert store_location(home, "") == EmbeddedFile(home.database)


def test_an_address_and_a_duration_are_read(home: Home) -> None:
    put(home, '[store]\ndatabase = "postgresql://a@h:5/n"\n[questions]\nexpire_after = "30m"\n')
    found = read_desk_file(home)
    assert store_location(home, found.database) == DatabaseServer("postgresql://a@h:5/n")
    assert found.expire_after == 1800


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://a@h/n",
        "postgres://h/n",
        "postgresql:///n?host=/run/postgresql",
        "postgresql://%2Frun%2Fpostgresql/n",
        "postgresql://a@h1:5432,h2:5433/n?target_session_attrs=read-write",
        "postgresql://a@[::1]:5432/n?sslmode=verify-full&sslrootcert=/etc/root.crt",
        "postgresql://a@[fe80::1%25eth0]:5432,h:,:5433/n",
        "postgresql://h:5432/n?user=a@b",
        "postgresql://a%2Fb@h/n%2Fm%40o",
        "postgresql:///?service=s",
    ],
)
def test_every_form_of_libpq_without_a_password_is_taken(address: str) -> None:
    assert check_address(address, source="x") == address


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("mysql://a@h/n", "must begin with postgresql://"),
        ("sqlite:///n", "must begin with postgresql://"),
        ("host=h dbname=n", "must begin with postgresql://"),
        ("", "must begin with postgresql://"),
        (f"host=h password={PRIVATE}", "must begin with postgresql://"),
        (f"postgresql://a:{PRIVATE}@h/n", "must not contain a password"),
        ("postgresql://a:@h/n", "must not contain a password"),
        (f"postgresql://a:{PRIVATE}@x@h/n", "must not contain a password"),
        (f"postgresql://a@h/n?password={PRIVATE}", "must not contain a password"),
        (f"postgresql://a@h/n?p%61ssword={PRIVATE}", "must not contain a password"),
        (f"postgresql://a@h/n?sslpassword={PRIVATE}", "must not contain a password"),
        (f"postgresql://a@h/n?oauth_client_secret={PRIVATE}", "must not contain a password"),
        (f"postgresql://a@h/n?scram_client_key={PRIVATE}", "must not contain a password"),
        (f"postgresql://a:x/{PRIVATE}@h/n", "before its first /"),
        (f"postgresql://a:12/{PRIVATE}@h/n", "before its first /"),
        (f"postgresql://a:{PRIVATE}/x@h/n", "before its first /"),
        (f"postgresql://a:{PRIVATE}/x@h/n?dbname=n", "before its first /"),
        (f"postgresql://a:12/x?{PRIVATE}@h/n", "is not an address"),
        (f"postgresql://a:12/x?{PRIVATE}=1@h/n", "is not an address"),
        (f"postgresql://a@h/n?application_name={PRIVATE}%zz", "is not an address"),
        ("postgresql://a@h:port/n", "before its first /"),
        ("postgresql://a@h", "names no database"),
        ("postgresql://a@h/", "names no database"),
        ("postgresql://a@h/n m", "control characters"),
        ("postgresql://a@h/n\x00", "control characters"),
        ("postgresql://a@h/n\n", "control characters"),
        ("postgresql://a@h/n?colour=red", "colour"),
        ("postgresql://[h/n", "is not an address"),
        ("postgresql://a@h/" + "n" * 3000, "at most 2000 characters"),
    ],
)
def test_every_other_address_is_refused_without_repeating_it(address: str, says: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_address(address, source="--database")
    assert caught.value.code is ErrorCode.SETTING_INVALID
    assert caught.value.detail.startswith("--database ")
    assert says in caught.value.detail
    assert PRIVATE not in caught.value.detail + str(caught.value.params)
    assert len(caught.value.detail.splitlines()) == 1


def test_a_refused_password_is_told_where_it_belongs() -> None:
    with pytest.raises(InvalidInput, match=r"PGPASSFILE.*keyring set kandesk"):
        check_address(f"postgresql://a:{PRIVATE}@h/n", source="--database")


def test_the_text_for_people_leaves_options_out() -> None:
    assert DatabaseServer("postgresql://a@h/n?sslmode=require").text == "postgresql://a@h/n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[store", "is not TOML"),
        (b"\xff\xfe", "is not UTF-8"),
        ("[", "is not TOML"),
        ("a = " + "[" * 5000, "is not TOML"),
        ("#" * 70_000, "more than 65536 bytes"),
        ("colour = 1", "colour is not known; there are [store] and [questions]"),
        ("[colour]", "colour is not known"),
        ("store = 1", "store must be a table"),
        ("[[store]]", "store must be a table"),
        ("[store]\nfile = 'x'", "[store] file is not known; there is database"),
        ("[store]\n'a\\nb' = 'x'", "is not known"),
        ('[store]\n"a\\nb" = "x"', "is not known"),
        ("[store]\ndatabase = 1", "[store] database must be a text"),
        ("[store]\ndatabase = ''", "[store] database must begin with postgresql://"),
        (f"[store]\ndatabase = 'postgresql://a:{PRIVATE}@h/n'", "must not contain a password"),
        ("[questions]\nexpire_after = 30", "[questions] expire_after must be a text"),
        ("[questions]\nexpire_after = '30'", "must be a number with s, m or h"),
        ("[questions]\nexpire_after = '-30m'", "must be a number with s, m or h"),
        ("[questions]\nexpire_after = '1.5h'", "must be a number with s, m or h"),
        ("[questions]\nexpire_after = '\u0663\u0660m'", "must be a number with s, m or h"),
        ("[questions]\nexpire_after = '299s'", "between 5m and 24h"),
        ("[questions]\nexpire_after = '4m'", "between 5m and 24h"),
        ("[questions]\nexpire_after = '86401s'", "between 5m and 24h"),
        ("[questions]\nexpire_after = '25h'", "between 5m and 24h"),
        ("[questions]\nexpire_after = '0m'", "between 5m and 24h"),
    ],
)
def test_a_bad_file_is_one_line_and_stays_as_it_is(
    home: Home, text: str | bytes, says: str
) -> None:
    put(home, text)
    error = refusal(home)
    assert isinstance(error, InvalidInput)
    assert error.code is ErrorCode.SETTING_INVALID
    assert says in error.detail
    assert PRIVATE not in error.detail


def test_the_mark_some_editors_put_before_a_text_is_no_part_of_it(home: Home) -> None:
    put(home, "\ufeff[questions]\nexpire_after = '5m'")
    assert read_desk_file(home).expire_after == 300


@pytest.mark.parametrize(("text", "seconds"), [("5m", 300), ("300s", 300), ("24h", 86_400)])
def test_both_ends_of_the_duration_are_allowed(home: Home, text: str, seconds: int) -> None:
    """clarification.md, improvement 12: 5 m to 24 h."""
    put(home, f"[questions]\nexpire_after = '{text}'")
    assert read_desk_file(home).expire_after == seconds


@pytest.mark.parametrize("mode", [0o666, 0o664, 0o622])
def test_a_file_others_may_write_is_refused(home: Home, mode: int) -> None:
    put(home, "[store]\ndatabase = 'postgresql://a@h/n'")
    home.desk_toml.chmod(mode)
    error = refusal(home)
    assert isinstance(error, StorageFailed)
    assert error.code is ErrorCode.FILE_UNSAFE
    assert "chmod go-w" in error.detail


def test_a_link_a_folder_and_a_file_of_another_user_are_refused(home: Home, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("")
    home.desk_toml.symlink_to(other)
    assert "symbolic link" in refusal(home).detail
    home.desk_toml.unlink()
    home.desk_toml.mkdir()
    with pytest.raises(StorageFailed, match="is not a file"):
        read_desk_file(home)
    home.desk_toml.rmdir()
    if os.geteuid() == 0:
        put(home, "")
        os.chown(home.desk_toml, 12_345, -1)
        assert "another user" in refusal(home).detail
