// The files of a drop; folders are told apart, because a browser offers them like files and then cannot read them.

export interface Dropped {
  files: File[];
  folders: string[];
}

export function droppedFiles({ items }: DataTransfer): Dropped {
  const dropped: Dropped = { files: [], folders: [] };
  for (const item of items) {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
    const file = item.kind === "file" ? item.getAsFile() : null;
    if (entry?.isDirectory === true) dropped.folders.push(entry.name);
    else if (file !== null) dropped.files.push(file);
  }
  return dropped;
}
