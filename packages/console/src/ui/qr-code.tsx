import { useEffect, useState } from 'react';
import style from './qr-code.module.css';

/** A QR code, always dark on light because cameras need it. Its library loads on first use. */
export function QrCode({ label, text }: { label: string; text: string }) {
  const [modules, setModules] = useState<readonly (readonly boolean[])[] | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void import('uqr').then(({ encode }) => {
      if (isCurrent) setModules(encode(text, { border: 2 }).data);
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  const size = modules?.length ?? 1;
  const dark = (modules ?? []).flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
  );
  return (
    <svg
      className={style.code}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path d={dark.join('')} />
    </svg>
  );
}
