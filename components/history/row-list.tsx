import {
  type ComponentProps,
  createContext,
  type ReactElement,
  type Ref,
  type RefObject,
  useContext,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import {
  type CustomContainerComponentProps,
  type CustomItemComponentProps,
  Virtualizer,
  type VirtualizerHandle,
} from 'virtua';

interface RowListProps<Row> extends Omit<ComponentProps<'ol'>, 'children' | 'ref'> {
  readonly rows: readonly Row[];
  /** Height of each row; pixels. */
  readonly rowHeight: number;
  /** The scrolling element around the list. */
  readonly scroller: RefObject<HTMLElement | null>;
  readonly ref?: Ref<VirtualizerHandle | null>;
  /** Index of a row that stays in the document, for example because it has the focus. */
  readonly keptIndex?: number;
  /** Called with the index of a row when it has become visible to the browser, so that it can take the focus. */
  readonly onRowShown?: (index: number) => void;
  readonly children: (row: Row, index: number) => ReactElement;
}

/** What the elements of the list need: they must stay the same components, or the rows would be created again. */
interface ListContext {
  readonly list: ComponentProps<'ol'>;
  readonly count: number;
  readonly onRowShown: (index: number) => void;
}

const ListContext = createContext<ListContext>({ list: {}, count: 0, onRowShown: () => undefined });

/**
 * A long list whose rows all have the same height; only the visible ones are in the document. It is scrolled to its end
 * at first and stays there while rows are added, unless the reader has scrolled away.
 */
export function RowList<Row>({
  rows,
  rowHeight,
  scroller,
  ref,
  keptIndex,
  onRowShown,
  children,
  ...list
}: RowListProps<Row>) {
  const handle = useRef<VirtualizerHandle>(null);
  useImperativeHandle<VirtualizerHandle | null, VirtualizerHandle | null>(ref, () => handle.current, []);
  const count = rows.length;
  /** Set by scrolling only: added rows and a changed height do not affect it. */
  const isAtEnd = useRef(true);
  const follow = useEffectEvent((total: number) => {
    // The newest row is what users look for first.
    if (isAtEnd.current && total > 0) handle.current?.scrollToIndex(total - 1, { align: 'end' });
  });
  useLayoutEffect(() => follow(count), [count]);
  useEffect(() => {
    if (!scroller.current) return undefined;
    const observer = new ResizeObserver(() => follow(count));
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [scroller, count]);
  return (
    <ListContext value={{ list, count, onRowShown: (index) => onRowShown?.(index) }}>
      <Virtualizer
        ref={handle}
        as={List}
        item={Item}
        data={rows}
        itemSize={rowHeight}
        scrollRef={scroller}
        {...(keptIndex !== undefined && keptIndex >= 0 && { keepMounted: [keptIndex] })}
        onScroll={(offset) => {
          const { scrollSize = 0, viewportSize = 0 } = handle.current ?? {};
          isAtEnd.current = offset + viewportSize >= scrollSize - rowHeight;
        }}
      >
        {children}
      </Virtualizer>
    </ListContext>
  );
}

function List({ style, children, ref }: CustomContainerComponentProps) {
  const { list } = useContext(ListContext);
  return (
    <ol {...list} ref={ref as Ref<HTMLOListElement>} style={style}>
      {children}
    </ol>
  );
}

function Item({ style, index, children, ref }: CustomItemComponentProps) {
  const { count, onRowShown } = useContext(ListContext);
  const isShown = style.visibility !== 'hidden';
  const report = useEffectEvent(onRowShown);
  useEffect(() => {
    if (isShown) report(index);
  }, [isShown, index]);
  return (
    <li ref={ref as Ref<HTMLLIElement>} style={style} aria-setsize={count} aria-posinset={index + 1}>
      {children}
    </li>
  );
}
