import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import { tableRows } from '#server/core/sections/table-rows';

/** Rows and columns; the first row is the header. */
function Content({ fields: { heading, intro, rows, caption, layout }, site, mark }: SectionProps<'table'>) {
  const [header = [], ...body] = tableRows(rows);
  const hasRowHeadings = layout === 'row-headings';
  // It scrolls on its own where it is wider than the screen, also by keyboard.
  const scrolled = { role: 'region', 'aria-label': caption ?? heading ?? site.texts.table, tabIndex: 0 };
  return (
    <>
      <SectionHeading heading={heading} intro={intro} mark={mark} />
      <div className="site-rows" {...scrolled} {...mark('rows')}>
        <table>
          {caption !== undefined && <caption {...mark('caption', 'line')}>{caption}</caption>}
          <thead>
            <tr>
              {header.map((cell, index) => (
                <th key={index} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, column) =>
                  hasRowHeadings && column === 0 ? (
                    <th key={column} scope="row">
                      {cell}
                    </th>
                  ) : (
                    <td key={column}>{cell}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export const tableView: SectionDisplay<'table'> = { Content };
