import {
  type ReactNode,
  type Ref,
  useDeferredValue,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import style from './windowed.module.css';

/** Up to this many rows, all are rendered. */
const mostDrawn = 60;
/** Number of rows rendered above and below the visible ones, so that Tab can reach them. */
const spare = 8;
/** Number of rows in the first render. The others follow in a deferred render, so that they do not delay the screen. */
const firstDrawn = 3;

export interface WindowedHandle {
  /** Scrolls a row into view. */
  show(position: number): void;
}

/** Rows of equal height. Of long lists, only the visible rows are rendered. */
export function Windowed({
  count,
  children,
  handle,
}: {
  count: number;
  children(position: number): ReactNode;
  handle?: Ref<WindowedHandle>;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const first = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  const [seen, setSeen] = useState({ top: 0, size: 800 });
  const isBegun = useDeferredValue(true, false);
  const isWindowed = count > mostDrawn;
  useLayoutEffect(() => {
    if (!isWindowed) return;
    const measure = () => {
      const row = first.current?.firstElementChild?.getBoundingClientRect().height;
      if (row) setHeight(row);
      if (scroller.current) setSeen(({ top }) => ({ top, size: scroller.current!.clientHeight }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(scroller.current!);
    return () => observer.disconnect();
  }, [isWindowed]);
  useImperativeHandle(handle, () => ({
    show(position) {
      if (isWindowed) scroller.current?.scrollTo({ top: position * height });
      else first.current?.children[position]?.scrollIntoView({ block: 'center' });
    },
  }));
  const rowHeight = height || 80;
  const from = isWindowed ? Math.max(0, Math.floor(seen.top / rowHeight) - spare) : 0;
  const to = isWindowed
    ? Math.min(count, isBegun ? Math.ceil((seen.top + seen.size) / rowHeight) + spare : firstDrawn)
    : count;
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, at) => children(from + at));
  if (!isWindowed)
    return (
      <div ref={first} className={style.rows}>
        {rows}
      </div>
    );
  return (
    <div
      ref={scroller}
      className={style.scroller}
      onScroll={({ currentTarget }) =>
        setSeen({ top: currentTarget.scrollTop, size: currentTarget.clientHeight })
      }
    >
      <div style={{ blockSize: count * rowHeight }}>
        <div ref={first} style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
