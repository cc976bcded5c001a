/** Runs a load, or waits for the result of one that runs for another caller of the same key. */
export type SingleFlight<Result> = (key: string, load: () => Promise<Result>) => Promise<Result>;

interface Flight<Result> {
  result: Promise<Result>;
  /** The load for those who arrived after this one began. */
  next: Promise<Result> | null;
}

/**
 * Turns many equal loads at once into few, such as those of a bearer that no cache knows. A caller that arrives while a
 * load runs waits for the next one, which begins after the caller arrived. So no result is older than its request, and a
 * change holds from the very next request. A failure rejects everyone who waits for that load.
 */
export function singleFlight<Result>(): SingleFlight<Result> {
  const flights = new Map<string, Flight<Result>>();

  return (key, load) => {
    function begin(): Promise<Result> {
      const flight: Flight<Result> = { result: load(), next: null };
      flights.set(key, flight);
      const end = () => void flights.delete(key);
      // How the next load ends concerns only those who wait for it.
      flight.result.then(() => void (flight.next || end()), end);
      return flight.result;
    }
    const flight = flights.get(key);
    if (!flight) return begin();
    flight.next ??= flight.result.then(begin);
    return flight.next;
  };
}
