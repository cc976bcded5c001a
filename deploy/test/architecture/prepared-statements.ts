import { preparedStatements } from '@waybill/kernel';

// Runs in a process of its own: modules declare their statements when they are loaded, once per process.
const ofKernel = preparedStatements();
const service = process.argv[2]!;
await import(`@waybill/${service}`);
const texts = new Set(ofKernel.map(({ text }) => text));
const own = preparedStatements().filter(({ text }) => !texts.has(text));
process.stdout.write(JSON.stringify({ ofKernel, own }), () => process.exit(0));
