import { hasVisibleCharacter } from '@waybill/contracts';
import { hasVisibleText } from '@waybill/page';

test('the model of pages and the contracts agree on what is visible', () => {
  const differing = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
    (char) => hasVisibleText(char) !== hasVisibleCharacter(char),
  );
  expect(differing).toEqual([]);
});
