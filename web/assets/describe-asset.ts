// What an asset is, in words, and how it can be looked at.
import type { Asset } from "@croft/contract";

/** How it is shown: a picture, a page in a closed frame, its text, or not at all. */
export type Preview = "picture" | "page" | "text" | "none";

/** The server sends the same ones to be looked at; of others only the file. */
const picture = /^image\/(?:png|apng|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;

const mebibyte = 1024 * 1024;
/** What is larger would make a page slow, and a row of cards slower. */
const sizeMax = {
  small: { picture: 4 * mebibyte, page: 2 * mebibyte, text: Number.POSITIVE_INFINITY },
  large: { picture: 64 * mebibyte, page: 16 * mebibyte, text: Number.POSITIVE_INFINITY },
} as const;

export type PreviewSize = keyof typeof sizeMax;

export function previewOf(asset: Asset, size: PreviewSize): Preview {
  const kind = previewKind(essence(asset));
  if (asset.bytes === 0) return "none";
  return kind === "none" || asset.bytes > sizeMax[size][kind] ? "none" : kind;
}

/** Why there is nothing to look at. */
export function unseenWords(asset: Asset): string {
  if (asset.bytes === 0) return "The file is empty.";
  const type = essence(asset);
  if (previewKind(type) !== "none") return "It is too large to be shown here.";
  if (isDirectory(asset)) return "It is a directory, and comes as an archive.";
  if (type === "application/pdf") {
    return "Browsers do not show a PDF in a frame that can do nothing.";
  }
  return `Files of the type ${type} cannot be shown here.`;
}

function previewKind(type: string): Preview {
  if (picture.test(type)) return "picture";
  if (type === "text/html") return "page";
  return type.startsWith("text/") || type === "application/json" ? "text" : "none";
}

/** The type without its parameters. */
export function essence({ media_type }: Pick<Asset, "media_type">): string {
  return media_type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** A directory comes as an archive. */
export function isDirectory(asset: Pick<Asset, "media_type">): boolean {
  return essence(asset) === "application/x-tar";
}

/** Characters that turn the direction of writing could make `evil.exe` look like a picture. */
export function shownName(asset: Pick<Asset, "name" | "media_type">): string {
  const name = asset.name.replace(/\p{Bidi_Control}/gu, "\u{fffd}");
  return isDirectory(asset) ? `${name}/` : name;
}

const kindWords: Record<Asset["kind"], string> = {
  generated: "Generated",
  upload: "Uploaded",
  artifact: "Artifact",
  bundle: "Bundle",
};

export function kindLabel(kind: Asset["kind"]): string {
  return kindWords[kind];
}

/** To keep it as a file. */
export function fileAddress({ id }: Pick<Asset, "id">): string {
  return `/api/assets/${encodeURIComponent(id)}/content`;
}

/** To look at it; whatever it is, its scripts do not run and it has no origin. */
export function viewAddress(asset: Pick<Asset, "id">): string {
  return `${fileAddress(asset)}?inline=true`;
}
