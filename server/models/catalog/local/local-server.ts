/** A model as the server that runs it describes it; tokens. */
export interface LocalModel {
  /** By which the server is asked for it. */
  readonly name: string;
  /** The context length it is loaded with, or would be. Null: the server does not tell. */
  readonly loadedContext: number | null;
  /** The longest context the model can do; the server may load it with less. Null: the server does not tell. */
  readonly longestContext: number | null;
  /** It sees images. Default: it does not, or the server does not tell. */
  readonly acceptsImages?: boolean;
}

/** What a local server says of its models. */
export interface LocalModels {
  readonly models: readonly LocalModel[];
  /** It runs this one model, whatever name it is asked for. */
  readonly single: boolean;
}

/** How the readers reach a server: its own interfaces lie beside the OpenAI-compatible one. */
export interface LocalServer {
  /** The answer of its own interface to GET, or POST where there is a body. @throws Error when there is none */
  ask(path: string, body?: unknown): Promise<unknown>;
  /** The list of models of its OpenAI-compatible interface. @throws Error when there is none */
  list(): Promise<unknown>;
}

/** Reads one kind of server; null when the server is of another kind. */
export type LocalReader = (server: LocalServer) => Promise<LocalModels | null>;

/** The answer to a question that only one kind of server understands; null from all others. */
export async function orNull(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch {
    return null;
  }
}
