// Divides a rectangle among weights so that the parts are as square as they can be (Bruls, Huizing, van Wijk 2000).

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** For each weight its box, in their order. They must be positive, and the largest come first. */
export function squarify(weights: readonly number[], box: Box): Box[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const scale = total === 0 ? 0 : (box.width * box.height) / total;
  const areas = weights.map((weight) => weight * scale);
  const boxes: Box[] = [];
  let rest = box;
  for (let at = 0; at < areas.length; ) {
    const side = Math.min(rest.width, rest.height);
    let count = 1;
    while (
      at + count < areas.length &&
      isBetter(areas.slice(at, at + count), areas[at + count] ?? 0, side)
    ) {
      count++;
    }
    const row = areas.slice(at, at + count);
    boxes.push(...placed(row, rest));
    rest = without(row, rest);
    at += count;
  }
  return boxes;
}

/** Whether the row is squarer with one more. */
function isBetter(row: readonly number[], next: number, side: number): boolean {
  return worst([...row, next], side) <= worst(row, side);
}

function worst(row: readonly number[], side: number): number {
  const sum = sumOf(row);
  const [largest, smallest] = [Math.max(...row), Math.min(...row)];
  return Math.max((side ** 2 * largest) / sum ** 2, sum ** 2 / (side ** 2 * smallest));
}

/** Along the shorter side. */
function placed(row: readonly number[], { x, y, width, height }: Box): Box[] {
  const isWide = width >= height;
  const thickness = sumOf(row) / (isWide ? height : width) || 0;
  let at = isWide ? y : x;
  return row.map((area) => {
    const length = area / thickness || 0;
    const start = at;
    at += length;
    return isWide
      ? { x, y: start, width: thickness, height: length }
      : { x: start, y, width: length, height: thickness };
  });
}

function without(row: readonly number[], { x, y, width, height }: Box): Box {
  const isWide = width >= height;
  const thickness = sumOf(row) / (isWide ? height : width) || 0;
  return isWide
    ? { x: x + thickness, y, width: Math.max(0, width - thickness), height }
    : { x, y: y + thickness, width, height: Math.max(0, height - thickness) };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
