#!/usr/bin/env node
import { main } from './program.ts';

// The reader of our output may close it early (`waybill … | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`✗ Nothing more can be written: ${error.message}\n`);
  process.exit(1);
});
await main(process.argv.slice(2));
