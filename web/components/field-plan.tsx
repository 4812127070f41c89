// A field seen from above, behind the sign-in pages: fenced plots, each with its furrows, one of them being worked.

/** Plots on a grid of 12 × 12: x, y, width, height, angle of the furrows. */
const plots = [
  [0, 0, 4, 3, 32],
  [4, 0, 5, 2, -18],
  [9, 0, 3, 4, 74],
  [4, 2, 5, 4, 58],
  [0, 3, 2, 5, -40],
  [2, 3, 2, 3, 8],
  [9, 4, 3, 3, -62],
  [2, 6, 3, 3, -75],
  [5, 6, 4, 3, 22],
  [9, 7, 3, 5, 40],
  [0, 8, 2, 4, 66],
  [2, 9, 4, 3, -28],
  [6, 9, 3, 3, 84],
] as const;

const worked = 8;
const cell = 80;
const gap = 7;

export function FieldPlan() {
  return (
    <svg
      viewBox="0 0 960 960"
      preserveAspectRatio="xMidYMid slice"
      className="size-full"
      aria-hidden
    >
      {plots.map(([x, y, width, height, angle], index) => {
        const color = index === worked ? "text-furrow-worked" : "text-furrow";
        const box = {
          x: x * cell + gap,
          y: y * cell + gap,
          width: width * cell - 2 * gap,
          height: height * cell - 2 * gap,
          rx: 10,
        };
        return (
          <g key={`${x}-${y}`} className={color}>
            <pattern
              id={`furrows-${index}`}
              width="14"
              height="14"
              patternUnits="userSpaceOnUse"
              patternTransform={`rotate(${angle})`}
            >
              <path d="M0 7h14" stroke="currentColor" strokeWidth="1.5" />
            </pattern>
            <rect
              {...box}
              fill={`url(#furrows-${index})`}
              stroke="currentColor"
              strokeWidth="1.5"
            />
          </g>
        );
      })}
    </svg>
  );
}
