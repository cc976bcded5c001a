import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Returns a stable reference to the value of the latest render, for what ends after later renders. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
