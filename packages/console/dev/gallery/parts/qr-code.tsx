import { QrCode } from '../../../src/ui/qr-code.tsx';
import type { Part } from '../part.tsx';

export default {
  title: 'QR code',
  use: 'A code for a phone’s camera. It is dark on light in both colour schemes.',
  examples: {
    Default: <QrCode label="QR code of the set-up key" text="otpauth://totp/Waybill:ada@example.com" />,
    'Long text': (
      <QrCode label="QR code of a long address" text={`https://shop.example/${'a'.repeat(300)}`} />
    ),
  },
} satisfies Part;
