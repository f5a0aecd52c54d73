import { useEffect, useState } from 'react';

/** The time (epoch ms), renewed every `interval` ms while mounted; null until the browser has taken over. */
export function useNow(interval: number): number | null {
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), interval);
    return () => clearInterval(timer);
  }, [interval]);
  return now;
}
