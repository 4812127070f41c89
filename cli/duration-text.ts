// A time span as people say it.

export function durationText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}h ${two(minutes)}m` : `${minutes}m ${two(whole % 60)}s`;
}
