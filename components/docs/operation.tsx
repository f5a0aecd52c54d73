'use client';

import type { ReactNode } from 'react';
import { translator } from '#components/i18n.ts';
import { Field, RichText, SchemaFields } from '#components/docs/schema-fields';
import { CopyButton } from '#components/ui/controls/copy-button';
import { ScrollBox } from '#components/ui/page-parts';
import type { ApiContent, ApiOperation, ApiParameter, ApiResponse } from '#server/core/api-document';
import { curlExample } from '#components/docs/curl-example.ts';
import { MethodMark } from '#components/docs/method-mark';

const t = translator('docs');

interface OperationProps {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
  /** Origin at which this server was reached. */
  readonly origin: string;
  /** Responses by status, errors included. */
  readonly responses: readonly (readonly [string, ApiResponse])[];
}

/** Everything about one operation; its id is the target of links. */
export function Operation({ method, path, operation, origin, responses }: OperationProps) {
  const { operationId, summary, parameters = [], requestBody } = operation;
  const answers = responses.filter(([status]) => status < '300');
  const headingId = `${operationId}-title`;
  return (
    <section
      id={operationId}
      aria-labelledby={headingId}
      className="scroll-mt-16 border-t border-rule-strong pt-6 pb-12 target:border-accent"
    >
      <h2 id={headingId} className="font-serif text-xl font-medium tracking-[-0.01em]">
        <a href={`#${operationId}`} className="hover:underline">
          {summary}
        </a>
      </h2>
      <p className="mt-1 flex items-baseline text-sm">
        <MethodMark method={method} />
        <code className="font-mono break-all">{path}</code>
      </p>
      <p className="mt-1 text-sm text-ink-2">{accessText(operation['x-access'])}</p>
      <div className="mt-5 grid gap-x-10 gap-y-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-6">
          <Parameters title={t('parts.path')} parameters={parameters.filter((each) => each.in === 'path')} />
          <Parameters title={t('parts.query')} parameters={parameters.filter((each) => each.in === 'query')} />
          {requestBody && (
            <Part title={t('parts.body')} intro={requestBody.description}>
              <Content content={requestBody.content} />
            </Part>
          )}
          {answers.map(([status, { description, content }]) => (
            <Part key={status} title={`${t('parts.answer')} ${status}`} intro={description}>
              {content && <Content content={content} />}
            </Part>
          ))}
        </div>
        <div className="min-w-0 space-y-6">
          <Part title={t('parts.example')}>
            <CodeBlock
              label={`${t('parts.example')}: ${summary}`}
              text={curlExample(method, path, operation, origin)}
              copyLabel={t('copy')}
            />
          </Part>
          <ExampleAnswer summary={summary} answers={answers} />
          <Part title={t('parts.refusals')}>
            <ul className="space-y-1 text-sm text-ink-2">
              {responses
                .filter(([status]) => status >= '400')
                .map(([status, { description }]) => (
                  <li key={status} className="flex gap-3">
                    <span className="font-mono text-xs leading-5 text-ink">{status}</span>
                    <span>
                      <RichText text={description} />
                    </span>
                  </li>
                ))}
            </ul>
          </Part>
        </div>
      </div>
    </section>
  );
}

function accessText(needed: string): string {
  return (needed === 'scope' ? undefined : t.find(`access.${needed}`)) ?? t('access.scope', { scope: needed });
}

interface PartProps {
  readonly title: string;
  readonly intro?: string;
  readonly children?: ReactNode;
}

function Part({ title, intro, children }: PartProps) {
  return (
    <div>
      <h3 className="text-sm font-semibold">{title}</h3>
      {intro !== undefined && (
        <p className="text-sm text-ink-2">
          <RichText text={intro} />
        </p>
      )}
      {children !== undefined && <div className="mt-2">{children}</div>}
    </div>
  );
}

function Parameters({ title, parameters }: { readonly title: string; readonly parameters: readonly ApiParameter[] }) {
  if (parameters.length === 0) return null;
  return (
    <Part title={title}>
      <ul className="divide-y divide-rule rounded-md border border-rule bg-sheet">
        {parameters.map(({ name, schema, required, description }) => (
          <li key={name} className="px-3 py-2">
            <Field
              name={name}
              schema={description === undefined ? schema : { ...schema, description }}
              isRequired={required}
            />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Content({ content }: { readonly content: ApiContent }) {
  return Object.entries(content).map(([type, { schema, 'x-events': events }]) => (
    <div key={type} className="mt-2 first:mt-0">
      <p className="mb-1.5 font-mono text-xs text-ink-3">{type}</p>
      {type === 'application/json' && <SchemaFields schema={schema} />}
      {events && <SchemaFields schema={{ properties: events, required: Object.keys(events) }} />}
    </div>
  ));
}

interface ExampleAnswerProps {
  readonly summary: string;
  readonly answers: OperationProps['responses'];
}

function ExampleAnswer({ summary, answers }: ExampleAnswerProps) {
  const example = answers
    .map(([, { content }]) => content?.['application/json']?.example)
    .find((each) => each !== undefined);
  if (example === undefined) return null;
  return (
    <Part title={t('parts.exampleAnswer')}>
      <CodeBlock label={`${t('parts.exampleAnswer')}: ${summary}`} text={JSON.stringify(example, null, 2)} />
    </Part>
  );
}

interface CodeBlockProps {
  readonly label: string;
  readonly text: string;
  /** Label of the copy button; absent for no button. */
  readonly copyLabel?: string;
}

/** A code block with scrolling and a copy button. */
export function CodeBlock({ label, text, copyLabel }: CodeBlockProps) {
  return (
    <div className="relative">
      <ScrollBox label={label} className="max-h-96 rounded-md border border-rule bg-sheet">
        <pre className="w-fit p-3 pr-11 font-mono text-xs leading-5">{text}</pre>
      </ScrollBox>
      {copyLabel !== undefined && (
        <div className="absolute top-2 right-2 rounded-md bg-sheet">
          <CopyButton text={text} label={copyLabel} />
        </div>
      )}
    </div>
  );
}
