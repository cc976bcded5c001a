// Reads jest's summary of a run: the paths of the failed suites to standard output, one a line; to standard error how
// many tests passed and failed, and for each of those suites, in one line, the first test that failed and why.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const firstLine = (text = '') =>
  stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trim())
    .find(Boolean) ?? 'no message';

for (const { name, status, message, assertionResults } of testResults) {
  if (status !== 'failed') continue;
  const path = relative('.', name);
  const first = assertionResults.find((test) => test.status === 'failed');
  // A suite that could not be loaded has no tests; its message begins with a headline of jest's.
  const why = first
    ? `${first.fullName}: ${firstLine(first.failureMessages[0])}`
    : firstLine(stripVTControlCharacters(message).replace(/^\s*●.*\n/, ''));
  console.error(`FAILED ${path}: ${why}`);
  console.log(path);
}
console.error(`${numPassedTests} passed, ${numFailedTests} failed`);
