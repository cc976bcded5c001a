/** Prints a line for the user on standard output. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints the addresses of the system, and three commands to try. */
export function announce(url: string, internalUrl: string, demoFile: string | null): void {
  const lines = [
    `Waybill is ready at ${url}`,
    `  Console        ${url}/console/`,
    `  Documentation  ${url}/docs`,
    `  Metrics        ${internalUrl}/metrics`,
  ];
  if (demoFile) {
    const auth = '-H "Authorization: Bearer $KEY"';
    lines.push(
      `  Demo store     ${demoFile} (API key, accounts; the console's sign-in offers them)`,
      '',
      'Try, in another terminal:',
      `  KEY=$(node -p "require('${demoFile}').apiKey")`,
      `  curl ${url}/api/v1/products ${auth} -H 'Content-Type: application/json' -d '{"name":"Tea"}'`,
      `  curl ${url}/api/v1/products ${auth}`,
    );
  }
  lines.push('', 'Ctrl-C stops it.');
  say(lines.join('\n'));
}
