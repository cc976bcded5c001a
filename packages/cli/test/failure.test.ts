import { WaybillError } from '@waybill/sdk';
import { toFailure } from '../src/failure.ts';

test('every problem of a refused body is shown once, also those that are worded alike', () => {
  const details = ['/a', '/b', '/c', '/d', '/e'].map((pointer) => ({ pointer, message: 'is required' }));
  const message = 'The request body is not valid: /a is required; /b is required; /c is required; and more.';
  const error = new WaybillError('invalid_body', message, { status: 400, body: { details } });
  expect(toFailure(error).message).toBe(`${message}\n  /d is required\n  /e is required`);
});
