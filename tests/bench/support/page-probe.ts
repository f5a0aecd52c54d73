/** What the page tells: see `installProbe`. */
export interface Probe {
  /** Milliseconds from the start of the navigation; null until then. */
  drawnAt: number | null;
  interactiveAt: number | null;
  longTasks: number[];
  /** Sum of layout shifts; those after a key press do not count. */
  shift: number;
  /** Milliseconds from each key press to the end of the frame that shows it. */
  keys: number[];
  /** Milliseconds between frames. */
  frames: number[];
  isAtTop(): boolean;
  isAtBottom(): boolean;
  /** Forgets long tasks, shifts, keys and frames. */
  reset(): void;
}

export interface ProbedWords {
  readonly first: string;
  readonly newest: string;
}

/**
 * Runs in the page before its own scripts. The newest message counts as drawn when its words are on screen; the page
 * as interactive when, besides, a key press is in the text field and the send button has answered it.
 */
export function installProbe({ first, newest }: ProbedWords): void {
  const probe: Probe = {
    drawnAt: null,
    interactiveAt: null,
    longTasks: [],
    shift: 0,
    keys: [],
    frames: [],
    isAtTop: () => scroller().scrollTop <= 0 && finds(first, 'nextNode'),
    isAtBottom: () => scroller().scrollHeight - scroller().clientHeight - scroller().scrollTop < 5,
    reset: () => Object.assign(probe, { longTasks: [], shift: 0, keys: [], frames: [] }),
  };
  (globalThis as unknown as { probe: Probe }).probe = probe;

  /** Text nodes looked at from either end. */
  const REACH = 200;
  const log = () => document.querySelector('[role=log]');

  function finds(words: string, direction: 'nextNode' | 'previousNode'): boolean {
    const root = log();
    if (!root) return false;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    if (direction === 'previousNode') {
      let end: Node = root;
      while (end.lastChild) end = end.lastChild;
      walker.currentNode = end;
    }
    let node: Node | null = walker.currentNode;
    for (let step = 0; node && step < REACH; step += 1, node = walker[direction]()) {
      if (node.nodeType !== Node.TEXT_NODE || !node.textContent?.includes(words)) continue;
      const { top, bottom } = node.parentElement!.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    }
    return false;
  }

  function scroller(): Element {
    let element = log();
    while (element && !/auto|scroll/.test(getComputedStyle(element).overflowY)) element = element.parentElement;
    return element ?? document.documentElement;
  }

  function look(): void {
    if (probe.drawnAt === null && finds(newest, 'previousNode')) probe.drawnAt = performance.now();
    const field = document.querySelector<HTMLTextAreaElement>('textarea');
    if (field && document.activeElement !== field) field.focus();
    const send = field?.form?.querySelector<HTMLButtonElement>('button[type=submit], button:not([type])');
    if (probe.drawnAt !== null && field?.value && send && !send.disabled) probe.interactiveAt = performance.now();
    else requestAnimationFrame(look);
  }
  requestAnimationFrame(look);

  let last = 0;
  const frame = (now: number) => {
    if (last > 0) probe.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);

  const channel = new MessageChannel();
  let pending: number[] = [];
  channel.port1.addEventListener('message', () => {
    const now = performance.now();
    probe.keys.push(...pending.map((at) => now - at));
    pending = [];
  });
  channel.port1.start();
  addEventListener(
    'keydown',
    ({ timeStamp }) =>
      requestAnimationFrame(() => {
        pending.push(timeStamp);
        channel.port2.postMessage(null);
      }),
    { capture: true },
  );

  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) probe.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      if (!entry.hadRecentInput) probe.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
}
