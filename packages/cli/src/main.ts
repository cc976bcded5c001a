#!/usr/bin/env node
import { main } from './program.ts';

// Who reads our output may have read enough (`waybill … | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
await main(process.argv.slice(2));
