import type { IncomingMessage, ServerResponse } from 'node:http';
import { startLoopback } from '#tests/support/loopback-server';

/** What the server does with one kind of request. */
export type FakeModelAnswer =
  /** Sent as JSON. */
  | { readonly json: unknown; readonly status?: number }
  /** Sent verbatim. */
  | { readonly text: string }
  | { readonly redirectTo: string }
  /** Takes the request and never answers. */
  | { readonly hang: true }
  /** Begins to answer and never ends. */
  | { readonly endless: true };

export interface FakeModelRequest {
  /** `GET /api/v0/models` */
  readonly route: string;
  readonly authorization: string | undefined;
  /** Parsed; null without one. */
  readonly body: unknown;
}

/** Answers by route (`GET /props`); a function is called for each request. */
export type FakeModelRoutes = Record<string, FakeModelAnswer | ((request: FakeModelRequest) => FakeModelAnswer)>;

export interface FakeModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** May be changed at any time. */
  readonly routes: FakeModelRoutes;
  readonly requests: readonly FakeModelRequest[];
}

/**
 * A real HTTP server on the loopback interface that lists models as OpenRouter, LM Studio, Ollama or llama.cpp do.
 * Other routes get a 404.
 */
export async function startFakeModelServer(routes: FakeModelRoutes): Promise<FakeModelServer> {
  const requests: FakeModelRequest[] = [];
  const current = { ...routes };

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await receive(incoming);
    requests.push(request);
    const answer = current[request.route] ?? { json: { error: 'not found' }, status: 404 };
    send(outgoing, typeof answer === 'function' ? answer(request) : answer);
  }

  const server = await startLoopback((incoming, outgoing) => {
    // A connection that breaks during the read cannot be answered.
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  return { ...server, routes: current, requests };
}

async function receive(incoming: IncomingMessage): Promise<FakeModelRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString('utf8');
  return {
    route: `${incoming.method} ${incoming.url}`,
    authorization: incoming.headers.authorization,
    body: text === '' ? null : JSON.parse(text),
  };
}

function send(outgoing: ServerResponse, answer: FakeModelAnswer): void {
  if ('hang' in answer) return;
  if ('redirectTo' in answer) {
    outgoing.writeHead(302, { location: answer.redirectTo }).end();
    return;
  }
  if ('endless' in answer) {
    const chunk = ' '.repeat(1_000_000);
    const more = () => {
      while (!outgoing.destroyed && outgoing.write(chunk));
    };
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    outgoing.on('drain', more);
    more();
    return;
  }
  const [status, text] = 'text' in answer ? [200, answer.text] : [answer.status ?? 200, JSON.stringify(answer.json)];
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

/** One row of OpenRouter's GET /models, complete as documented. */
export function openRouterRow(id: string, contextLength: unknown, more: Record<string, unknown> = {}) {
  return {
    id,
    canonical_slug: `${id}-20260101`,
    hugging_face_id: '',
    name: `Name of ${id}`,
    created: 1_767_225_600,
    description: 'A model.',
    context_length: contextLength,
    architecture: {
      modality: 'text->text',
      input_modalities: ['text'],
      output_modalities: ['text'],
      tokenizer: 'Other',
      instruct_type: null,
    },
    pricing: { prompt: '0.000003', completion: '0.000015', request: '0', image: '0' },
    top_provider: { context_length: contextLength, max_completion_tokens: 64_000, is_moderated: false },
    per_request_limits: null,
    supported_parameters: ['max_tokens', 'tools'],
    ...more,
  };
}

/** One row of LM Studio's GET /api/v0/models. */
export function lmStudioRow(id: string, more: Record<string, unknown>) {
  return {
    id,
    object: 'model',
    type: 'llm',
    publisher: 'lmstudio-community',
    arch: 'llama',
    compatibility_type: 'gguf',
    quantization: 'Q4_K_M',
    state: 'not-loaded',
    max_context_length: 131_072,
    ...more,
  };
}

const ollamaDetails = {
  parent_model: '',
  format: 'gguf',
  family: 'llama',
  families: ['llama'],
  parameter_size: '8.0B',
  quantization_level: 'Q4_0',
};

/** One row of Ollama's GET /api/ps. */
export function ollamaRunningRow(name: string, contextLength: unknown) {
  return {
    name,
    model: name,
    size: 5_137_025_024,
    digest: `digest of ${name}`,
    details: ollamaDetails,
    expires_at: '2026-11-21T14:38:31.83753-07:00',
    size_vram: 5_137_025_024,
    context_length: contextLength,
  };
}

/** One row of Ollama's GET /api/tags. */
export function ollamaInstalledRow(name: string) {
  return {
    name,
    model: name,
    modified_at: '2026-11-04T14:56:49.277302595-07:00',
    size: 3_825_819_519,
    digest: `digest of ${name}`,
    details: ollamaDetails,
  };
}

/** Ollama's answer to POST /api/show. `parameters` as in a Modelfile, one a line. */
export function ollamaShow(contextLength: unknown, parameters: string) {
  return {
    modelfile: '# Modelfile generated by "ollama show"\nFROM llama3.2:latest\n',
    parameters,
    template: '{{ .Prompt }}',
    details: ollamaDetails,
    model_info: {
      'general.architecture': 'llama',
      'general.parameter_count': 8_030_261_248,
      'llama.attention.head_count': 32,
      'llama.block_count': 32,
      'llama.context_length': contextLength,
      'llama.embedding_length': 4_096,
      'tokenizer.ggml.model': 'gpt2',
    },
    capabilities: ['completion', 'tools'],
  };
}

/** llama.cpp's answer to GET /props. */
export function llamaCppProps(contextLength: unknown, more: Record<string, unknown> = {}) {
  return {
    default_generation_settings: {
      id: 0,
      id_task: -1,
      n_ctx: contextLength,
      speculative: false,
      is_processing: false,
      params: { n_predict: -1, temperature: 0.8, top_k: 40, top_p: 0.95 },
    },
    total_slots: 1,
    model_alias: 'qwen3-4b',
    model_path: '/models/Qwen3-4B-Q4_K_M.gguf',
    chat_template: '...',
    modalities: { vision: false, audio: false },
    build_info: 'b8681-Debian',
    ...more,
  };
}
