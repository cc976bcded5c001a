import { preparedStatements } from '@waybill/kernel';

// Run as a process of its own: modules declare their statements when they are loaded, and each is loaded once a process.
const ofKernel = preparedStatements();
const service = process.argv[2]!;
await import(`@waybill/${service}`);
const texts = new Set(ofKernel.map(({ text }) => text));
const own = preparedStatements().filter(({ text }) => !texts.has(text));
process.stdout.write(JSON.stringify({ ofKernel, own }), () => process.exit(0));
