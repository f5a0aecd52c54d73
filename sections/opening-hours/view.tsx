import { SectionHeading, SectionNote } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import {
  daysOf,
  daysText,
  isExampleHours,
  type OpeningHours,
  phoneNumber,
  timesText,
  type Weekday,
} from '#server/core/sections/opening-hours';
import type { SectionFields } from '#server/core/site/section-fields';

/** Rows of the same days as one, with all their times. */
function byDays(items: readonly OpeningHours[]): readonly (readonly OpeningHours[])[] {
  const days = Map.groupBy(items, ({ firstDay, lastDay = firstDay }) => `${firstDay} ${lastDay}`);
  return [...days.values()];
}

/** When a place is open, its address and its phone number. */
function Content({ fields, site, mark }: SectionProps<'opening-hours'>) {
  const { heading, items, address, phone, note, layout } = fields;
  const { language, texts } = site;
  const number = phone === undefined ? null : phoneNumber(phone);
  return (
    <>
      <SectionHeading heading={heading} mark={mark} />
      <div className="site-hours" data-layout={layout}>
        <dl {...mark('items')}>
          {byDays(items).map((rows, index) => (
            <div key={index}>
              <dt>{daysText(rows[0]!, language)}</dt>
              <dd>{rows.map((row) => timesText(row, language) ?? texts.closed).join(', ')}</dd>
            </div>
          ))}
        </dl>
        {(address !== undefined || phone !== undefined) && (
          <address>
            {address !== undefined && <p {...mark('address', 'prose')}>{address}</p>}
            {phone !== undefined && (
              <p>
                {number === null ? (
                  <span {...mark('phone', 'line')}>{phone}</span>
                ) : (
                  <a href={`tel:${number}`} {...mark('phone', 'line')}>
                    {phone}
                  </a>
                )}
              </p>
            )}
          </address>
        )}
      </div>
      <SectionNote note={note} mark={mark} />
    </>
  );
}

const schemaDay = (day: Weekday) => `https://schema.org/${day.charAt(0).toUpperCase()}${day.slice(1)}`;

/** Properties of schema.org's LocalBusiness; none for the hours of an example. A day that is closed opens and closes at midnight. */
function business(
  { items, address, phone }: SectionFields<'opening-hours'>,
  exampleAddresses: readonly string[],
): object | undefined {
  const isExample = phone === undefined && exampleAddresses.includes(address ?? '') && isExampleHours(items);
  if (isExample) return undefined;
  return {
    ...(address !== undefined && { address }),
    ...(phone !== undefined && { telephone: phone }),
    openingHoursSpecification: items.flatMap((row) => {
      const isClosed = row.opens === undefined && row.closes === undefined;
      const { opens, closes } = isClosed ? { opens: '00:00', closes: '00:00' } : row;
      if (opens === undefined || closes === undefined) return [];
      return [{ '@type': 'OpeningHoursSpecification', dayOfWeek: daysOf(row).map(schemaDay), opens, closes }];
    }),
  };
}

export const openingHoursView: SectionDisplay<'opening-hours'> = { Content, business };
