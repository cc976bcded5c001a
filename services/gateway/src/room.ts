import { networkOf } from '@waybill/kernel';

/**
 * Room for the requests in flight, which are counted by network. None may hold more of it than is free: to stall a request
 * costs its sender nothing, and so one could hold all of it. One network comes to half of the room, two to a third each, and
 * whoever comes new finds a place.
 */
export function createRoom(most: number) {
  const held = new Map<string, number>();
  let inFlight = 0;

  return {
    /** Takes a place for a request from this address, and gives what gives it back; null: there is none. */
    enter(address: string): (() => void) | null {
      const network = networkOf(address);
      const own = held.get(network) ?? 0;
      const free = most - inFlight;
      if (free <= 0 || own > free) return null;
      inFlight++;
      held.set(network, own + 1);
      return () => {
        inFlight--;
        const left = held.get(network)! - 1;
        if (left > 0) held.set(network, left);
        else held.delete(network);
      };
    },
  };
}
