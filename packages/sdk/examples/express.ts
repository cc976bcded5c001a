import { isWaybillError, webhooks } from '@waybill/sdk';
import express from 'express';

const app = express();

// `raw`, not `json`: a parsed body can no longer be verified.
app.post('/', express.raw({ type: 'application/json', limit: '2mb' }), async (req, res) => {
  try {
    const secret = process.env.WAYBILL_WEBHOOK_SECRET ?? '';
    const event = await webhooks.verify(req.body ?? '', req.headers, secret);
    console.log(event.type, event.id);
    res.sendStatus(204);
  } catch (error) {
    if (!isWaybillError(error)) throw error;
    res.status(401).json({ code: error.code });
  }
});

app.listen(Number(process.env.PORT ?? 3000), () => console.log('listening'));
