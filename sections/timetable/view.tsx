import { SectionHeading, SectionNote } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import type { SectionFields } from '#server/core/site/section-fields';

/** One line of the timetable, and its index in the list of all lines. */
type Line = SectionFields<'timetable'>['items'][number] & { readonly index: number };

/** The lines by day, in the order in which the days first occur. */
function byDay(items: SectionFields<'timetable'>['items']): ReadonlyMap<string, readonly Line[]> {
  return Map.groupBy(
    items.map((item, index) => ({ ...item, index })),
    ({ day }) => day,
  );
}

/** What takes place on which day at which time. */
function Content({ fields, mark }: SectionProps<'timetable'>) {
  const Day = fields.heading === undefined ? 'h2' : 'h3';
  return (
    <>
      <SectionHeading heading={fields.heading} intro={fields.intro} mark={mark} />
      <div className="site-timetable" data-layout={fields.layout} {...mark('items')}>
        {[...byDay(fields.items)].map(([day, lines]) => (
          <div key={day} className="site-day">
            <Day className="site-item-title">{day}</Day>
            <ul>
              {lines.map(({ index, title, time, body }) => (
                <li key={index}>
                  <p className="site-time" {...mark(`items.${index}.time`, 'line')}>
                    {time}
                  </p>
                  <p className="site-event" {...mark(`items.${index}.title`, 'line')}>
                    {title}
                  </p>
                  {body !== undefined && (
                    <p className="site-item-text" {...mark(`items.${index}.body`, 'line')}>
                      {body}
                    </p>
                  )}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <SectionNote note={fields.note} mark={mark} />
    </>
  );
}

export const timetableView: SectionDisplay<'timetable'> = { Content };
