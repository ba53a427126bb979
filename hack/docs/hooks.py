"""Hooks of MkDocs: README.md is the start page, and links out of docs/ lead to the repository."""

import os
import re

from mkdocs.structure.files import File

LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def on_files(files, config):
    root = os.path.dirname(config["docs_dir"])
    with open(os.path.join(root, "README.md"), encoding="utf-8") as readme:
        text = LINK.sub(lambda link: link[1] + below_docs(link[2]) + link[3], readme.read())
    files.append(File.generated(config, "index.md", content=text))
    return files


def below_docs(target):
    """Returns a link of README.md as seen from docs/."""
    if ":" in target:
        return target
    return target.removeprefix("docs/") if target.startswith("docs/") else "../" + target


def on_page_markdown(markdown, page, config, files):
    def outside(link):
        target = link[2]
        if ":" in target:
            return link[0]
        path = os.path.normpath(os.path.join("docs", os.path.dirname(page.file.src_uri), target))
        if path == "docs" or path.startswith("docs/"):
            return link[0]
        root = os.path.dirname(config["docs_dir"])
        if not os.path.exists(os.path.join(root, path)):
            return link[0]  # MkDocs reports it
        kind = "tree" if os.path.isdir(os.path.join(root, path)) else "blob"
        return f"{link[1]}{config['repo_url']}/{kind}/main/{path}{link[3]}"

    return LINK.sub(outside, markdown)
