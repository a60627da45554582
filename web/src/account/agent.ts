// Browsers by the names that people know.

/** What a browser says of itself, in a few words: `Firefox on Linux`. */
export function agentWords(agent: string): string {
  const browsers: [RegExp, string][] = [
    [/Edg\//, 'Edge'],
    [/OPR\//, 'Opera'],
    [/Firefox\//, 'Firefox'],
    [/Chrom(e|ium)\//, 'Chrome'],
    [/Safari\//, 'Safari'],
  ];
  const systems: [RegExp, string][] = [
    [/Android/, 'Android'],
    [/iPhone|iPad/, 'iOS'],
    [/Windows/, 'Windows'],
    [/Mac OS X/, 'macOS'],
    [/Linux/, 'Linux'],
  ];
  const find = (list: [RegExp, string][]) => list.find(([pattern]) => pattern.test(agent))?.[1];
  const [name, system] = [find(browsers), find(systems)];
  if (name && system) return `${name} on ${system}`;
  return name ?? system ?? (agent.slice(0, 40) || 'A browser');
}
