/**
 * Times an operation alternately for registered and for unregistered addresses, `tries` of each, and prints a
 * comparison. A |t| below 2 is noise.
 */
export async function compareTimes(
  measureTime: (kind: 'known' | 'other', n: number) => Promise<number>,
  tries: number,
): Promise<void> {
  const known: number[] = [];
  const other: number[] = [];
  for (let n = 1; n <= tries; n++) {
    // The order alternates, so that neither kind always follows the other.
    if (n % 2) known.push(await measureTime('known', n));
    other.push(await measureTime('other', n));
    if (!(n % 2)) known.push(await measureTime('known', n));
  }
  const mean = (times: number[]) => times.reduce((sum, time) => sum + time, 0) / times.length;
  const variance = (times: number[]) => mean(times.map((time) => (time - mean(times)) ** 2));
  const quantile = (times: number[], q: number) =>
    [...times].sort((a, b) => a - b)[Math.floor(times.length * q)]!;
  const t = (mean(known) - mean(other)) / Math.sqrt((variance(known) + variance(other)) / tries);
  for (const [name, times] of Object.entries({ known, other })) {
    const parts = [mean(times), ...[0.5, 0.95, 0.99].map((q) => quantile(times, q))].map((ms) =>
      ms.toFixed(2),
    );
    process.stdout.write(`${name}: mean ${parts[0]} ms, p50 ${parts[1]}, p95 ${parts[2]}, p99 ${parts[3]}\n`);
  }
  process.stdout.write(`Welch's t of the means: ${t.toFixed(2)}\n`);
}
