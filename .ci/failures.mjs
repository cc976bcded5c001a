// Reads jest's summary of a run. Prints the paths of the failed suites to standard output, one per line. To standard
// error it prints the numbers of passed and failed tests and, for each failed suite, one line with the first failed
// test and the reason.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const linesOf = (text = '') =>
  stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

for (const { name, status, message, assertionResults } of testResults) {
  if (status !== 'failed') continue;
  const path = relative('.', name);
  const first = assertionResults.find((test) => test.status === 'failed');
  // The message of a test begins with its name, that of a suite that did not reach its tests with a headline of jest.
  const [headline, why = headline ?? 'no message'] = linesOf(first ? first.failureMessages[0] : message);
  console.error(`FAILED ${path}: ${first ? `${headline}: ${why}` : why}`);
  console.log(path);
}
console.error(`${numPassedTests} passed, ${numFailedTests} failed`);
