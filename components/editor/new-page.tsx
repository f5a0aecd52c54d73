import { Copy, File } from 'lucide-react';
import { useId, useState } from 'react';
import { toast } from '#components/toast';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { contentChanged } from '#components/desk/content-cache';
import { useEntries } from '#components/desk/entries';
import { KindPicture } from '#components/editor/kind-picture';
import { newPageStrings } from '#components/editor/panel-words';
import { Switch } from '#components/ui/buttons';
import { Field, formFieldLook, TextField } from '#components/ui/fields';
import { SubmitDialog, useSubmit } from '#components/ui/submit';
import type { Entry, EntryType, SectionType } from '#server/core/content';
import type { EntryItem } from '#server/core/site-lists';
import type { JsonObject } from '#server/core/json';

/** Kinds of pages to start with. */
interface PageKind {
  readonly name: string;
  readonly purpose: string;
  /** Proposed title. */
  readonly title: string;
  readonly sections: readonly { readonly type: SectionType; readonly fields: JsonObject }[];
}

const say = newPageStrings;

const text = (heading: string, body: string) => ({ type: 'text' as const, fields: { heading, body } });
const hero = (heading: string, subheading: string) => ({ type: 'hero' as const, fields: { heading, subheading } });

/** Starting points for a type; their texts say what belongs in their place. */
function pageKinds(type: EntryType): readonly PageKind[] {
  const { blank, about, contact, offer, notFound, news, event } = say.kinds;
  const empty: PageKind = { name: blank.name, purpose: blank.purpose, title: '', sections: [] };
  if (type === 'post') {
    return [
      empty,
      { name: news.name, purpose: news.purpose, title: '', sections: [text(news.heading, news.body)] },
      {
        name: event.name,
        purpose: event.purpose,
        title: '',
        sections: [
          text(event.about, event.aboutBody),
          text(event.when, event.whenBody),
          { type: 'call-to-action', fields: { heading: event.come, buttonLabel: event.button } },
        ],
      },
    ];
  }
  return [
    empty,
    {
      name: about.name,
      purpose: about.purpose,
      title: about.title,
      sections: [
        hero(about.who, about.whoBody),
        text(about.began, about.beganBody),
        { type: 'quote', fields: { quote: about.quote, author: about.author } },
      ],
    },
    {
      name: contact.name,
      purpose: contact.purpose,
      title: contact.title,
      sections: [
        hero(contact.heading, contact.body),
        { type: 'form', fields: { heading: contact.form } },
        text(contact.where, contact.whereBody),
      ],
    },
    {
      name: offer.name,
      purpose: offer.purpose,
      title: offer.title,
      sections: [
        hero(offer.title, offer.body),
        { type: 'features', fields: { items: [...offer.points].map((title) => ({ title, body: offer.point })) } },
        { type: 'faq', fields: { heading: offer.faq, items: [{ question: offer.question, answer: offer.answer }] } },
        { type: 'call-to-action', fields: {} },
      ],
    },
    {
      name: notFound.name,
      purpose: notFound.purpose,
      title: '404',
      sections: [
        {
          type: 'hero',
          fields: {
            heading: notFound.heading,
            subheading: notFound.body,
            ctaLabel: notFound.button,
            ctaHref: '/',
          },
        },
      ],
    },
  ];
}

/** Stands for a copy among the kinds. */
const COPY = 'copy';

interface NewPageProps {
  /** Copies this one, if it is given. */
  readonly source?: Pick<EntryItem, 'id' | 'type' | 'title'>;
  readonly onMade: (entry: Entry) => void;
  readonly onClose: () => void;
}

/** Dialog that makes a page or post: blank, from a kind, or as a copy. */
export function NewPage({ source, onMade, onClose }: NewPageProps) {
  const [type, setType] = useState<EntryType>(source?.type ?? 'page');
  const [start, setStart] = useState(source ? COPY : '0');
  const [title, setTitle] = useState(source ? say.copyTitle(source.title) : '');
  const [sourceId, setSourceId] = useState(source?.id ?? '');
  const { entries } = useEntries();
  const submit = useSubmit();
  const kinds = pageKinds(type);
  const sources = (entries ?? []).filter((entry) => entry.type === type);
  const propose = (next: string) => {
    const proposals = ['', ...kinds.map((kind) => kind.title), ...sources.map((each) => say.copyTitle(each.title))];
    if (proposals.includes(title)) setTitle(next);
  };
  const create = () =>
    submit.run(async () => {
      if (title.trim() === '') throw new Error(say.noName);
      const body = start === COPY ? await copyOf(type, sourceId) : { sections: kinds[Number(start)]?.sections ?? [] };
      const { entry, change } = await api.createEntry(type, { ...body, title });
      contentChanged([change]);
      toast.success(say.made(entry.draft.title));
      onClose();
      onMade(entry);
    });
  return (
    <SubmitDialog
      title={say.title}
      width="wide"
      save={say.save}
      saving={say.saving}
      submit={submit}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <div className="flex">
        <Switch
          label={say.type}
          value={type}
          choices={say.types}
          onChange={(next) => {
            setType(next);
            setStart('0');
            setSourceId('');
          }}
        />
      </div>
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">{say.start}</legend>
        <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
          {kinds.map((kind, index) => (
            <Choice
              key={kind.name}
              kind={kind}
              isChosen={start === String(index)}
              onChoose={() => {
                setStart(String(index));
                propose(kind.title);
              }}
            />
          ))}
          <Choice kind={copyKind()} isChosen={start === COPY} onChoose={() => setStart(COPY)} />
        </div>
      </fieldset>
      {start === COPY && (
        <Field label={say.copyOf} hint={say.copyHint}>
          {(ids) => (
            <select
              {...ids}
              value={sourceId}
              onChange={({ target }) => {
                setSourceId(target.value);
                const picked = sources.find(({ id }) => id === target.value);
                if (picked) propose(say.copyTitle(picked.title));
              }}
              className={formFieldLook}
            >
              <option value="">{say.choose}</option>
              {sources.map((each) => (
                <option key={each.id} value={each.id}>
                  {each.title}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <TextField label={say.name} value={title} required maxLength={200} onChange={setTitle} />
    </SubmitDialog>
  );
}

interface ChoiceProps {
  readonly kind: PageKind;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Choice({ kind: { name, purpose, sections }, isChosen, onChoose }: ChoiceProps) {
  const id = useId();
  const Icon = name === say.copy ? Copy : File;
  return (
    <label
      htmlFor={id}
      className="flex cursor-pointer flex-col gap-1 rounded-lg border border-rule p-2 text-sm hover:border-ink-3 has-checked:border-accent has-checked:bg-accent-wash has-focus-visible:ring-2 has-focus-visible:ring-accent"
    >
      <span aria-hidden className="grid h-14 grid-cols-2 place-content-center gap-0.5 overflow-hidden rounded bg-desk">
        {sections.length === 0 && <Icon className="col-span-2 mx-auto size-6 stroke-[1.25] text-ink-3" />}
        {sections.slice(0, 4).map(({ type }, index) => (
          <KindPicture key={`${type} ${String(index)}`} type={type} className="h-7 w-full" />
        ))}
      </span>
      <span className="flex items-center gap-1.5 font-medium">
        <input
          id={id}
          type="radio"
          name="page-kind"
          checked={isChosen}
          aria-label={name}
          aria-describedby={`${id}-purpose`}
          onChange={onChoose}
          className="accent-accent"
        />
        {name}
      </span>
      <span id={`${id}-purpose`} className="text-xs text-ink-2">
        {purpose}
      </span>
    </label>
  );
}

/**
 * Reads content for a copy: all of a draft but title and address.
 * @throws ApiError; Error that says what to choose
 */
async function copyOf(type: EntryType, id: string) {
  if (id === '') throw new Error(say.noSource);
  const { draft } = await api.get<Entry>(paths.entry(type, id));
  const { title: _title, slug: _slug, sections, ...document } = draft;
  return { ...document, sections: sections.map(({ type: kind, fields }) => ({ type: kind, fields })) };
}

function copyKind(): PageKind {
  return { name: say.copy, purpose: say.copyHint, title: '', sections: [] };
}
