import { isWaybillError, webhooks } from '@waybill/sdk';

/** Handles `POST /api/waybill` of a Next.js application (App Router). */
export async function POST(request: Request): Promise<Response> {
  try {
    const secret = process.env.WAYBILL_WEBHOOK_SECRET ?? '';
    const event = await webhooks.verify(await request.arrayBuffer(), request.headers, secret);
    console.log(event.type, event.id);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!isWaybillError(error)) throw error;
    return Response.json({ code: error.code }, { status: 401 });
  }
}
