/** An error answer that Node's HTTP parser causes on any route: `[status, code, message]`. */
export type ProtocolError = readonly [status: number, code: string, message: string];

/** Protocol errors by the code of Node's error. The API document lists them for every operation. */
export const protocolErrors: Readonly<Record<string, ProtocolError>> = {
  HPE_HEADER_OVERFLOW: [431, 'invalid_body', 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not come in time.'],
};

/** The answer to any other error of the parser. */
export const malformedRequest: ProtocolError = [400, 'invalid_body', 'This is not a valid HTTP request.'];
