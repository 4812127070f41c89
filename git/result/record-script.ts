// What runs in a job's sandbox to look at its work: a temporary index, so that the job's own stays as it is.

/**
 * The copied index keeps its time (`-p`): with a later one git would trust entries that were written in the same second
 * as their files, and miss an edit.
 */
const STAGE_ALL = `
index=$(git rev-parse --git-path index)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export GIT_INDEX_FILE="$place/index"
if [ -f "$index" ]; then cp -p -- "$index" "$GIT_INDEX_FILE"; fi
git add --all .
`;

/**
 * $1 base, $2 message. Writes the commit's id and a line break, then a pack of everything that base has not. Without
 * bitmaps, which the job may have made: they know more of what base's history has, and would leave out an old file that
 * has come back, where the proof at the other end does not know it.
 */
export const RECORD = `${STAGE_ALL}
tree=$(git write-tree)
head=$(git rev-parse --quiet --verify 'HEAD^{commit}') || head=$1
commit=$head
if [ "$(git rev-parse --verify "$head^{tree}")" != "$tree" ]; then
  commit=$(git commit-tree -p "$head" -m "$2" "$tree")
fi
echo "$commit"
[ "$commit" = "$1" ] && exit 0
printf '%s\\n^%s\\n' "$commit" "$1" |
  git pack-objects --revs --stdout --delta-base-offset --no-use-bitmap-index -q
`;

/** $1 base. */
export const DIFF = `${STAGE_ALL}
git diff --cached --binary --no-ext-diff --no-textconv --no-color "$1"
`;

/** The message comes by standard input. Says nothing when there is nothing to commit. */
export const COMMIT = `
git add --all .
if git diff --cached --quiet; then exit 0; fi
git commit --quiet --no-verify --file=-
git rev-parse HEAD
`;

export const HEAD = "git rev-parse --verify HEAD";
