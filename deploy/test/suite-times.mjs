/** Number of suites that are listed, the slowest first. */
const namedSuites = 20;

/** Reports at the end of a run where the time went, by suite. */
export default class SuiteTimes {
  onRunComplete(_contexts, { testResults, startTime }) {
    const suites = testResults
      .map(({ testFilePath, perfStats }) => ({ path: testFilePath, ms: perfStats.end - perfStats.start }))
      .filter(({ ms }) => ms > 0)
      .sort((a, b) => b.ms - a.ms);
    if (suites.length < 2) return;
    const lines = suites.slice(0, namedSuites).map(({ path, ms }) => `${seconds(ms)}  ${nameOf(path)}`);
    const rest = suites.slice(namedSuites);
    if (rest.length > 0) lines.push(`${seconds(sum(rest))}  ${rest.length} other suites together`);
    const total = `${seconds(Date.now() - startTime)}  from start to end; ${(sum(suites) / 1000).toFixed(0)} s in suites`;
    process.stderr.write(`\nWhere the time went, in seconds:\n${[...lines, total].join('\n')}\n`);
  }
}

const sum = (suites) => suites.reduce((total, { ms }) => total + ms, 0);
const seconds = (ms) => (ms / 1000).toFixed(1).padStart(7);
const nameOf = (path) =>
  path.slice(path.search(/\/(?:packages|services|deploy)\/(?!.*\/node_modules\/)/) + 1);
