// How long things are kept unless somebody says otherwise, for tests of the janitor.

export const DAY_MS = 86_400_000;

export const usualRetention = {
  retention: {
    jobs: 90 * DAY_MS,
    events: 30 * DAY_MS,
    artifacts: 30 * DAY_MS,
    uploads: 90 * DAY_MS,
    generated: 90 * DAY_MS,
    deliveries: 30 * DAY_MS,
    results: 7 * DAY_MS,
  },
};
