// Which tasks this browser's user has done: numbers by game and lesson. Everything works without storage too.

const KEY = 'husun.learnt';

/** Numbers of tasks done, from 0, by lesson. */
export type Done = Record<string, number[]>;
type All = Record<string, Done>;

let kept: All | undefined;

function all(): All {
  if (kept) return kept;
  try {
    kept = checked(JSON.parse(localStorage.getItem(KEY) ?? '{}'));
  } catch {
    kept = {};
  }
  return kept;
}

/** What was stored, as far as it has the shape that it should have. */
export function checked(value: unknown): All {
  const found: All = {};
  if (typeof value !== 'object' || value === null) return found;
  for (const [game, lessons] of Object.entries(value)) {
    if (typeof lessons !== 'object' || lessons === null) continue;
    const done: Done = {};
    for (const [lesson, tasks] of Object.entries(lessons)) {
      if (!Array.isArray(tasks)) continue;
      done[lesson] = tasks.filter((task) => Number.isInteger(task) && task >= 0);
    }
    found[game] = done;
  }
  return found;
}

/** What is done of a game. */
export function doneOf(game: string): Done {
  return all()[game] ?? {};
}

/** Notes that a task is done. */
export function note(game: string, lesson: string, task: number): void {
  // another tab may have noted something since
  kept = undefined;
  const lessons = (all()[game] ??= {});
  const tasks = (lessons[lesson] ??= []);
  if (tasks.includes(task)) return;
  tasks.push(task);
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // remembered for this page only
  }
}

/** How many of the tasks of lessons are done; a lesson that has become shorter counts no more than it has. */
export function count(done: Done, lessons: { id: string; tasks: number }[]): { done: number; of: number } {
  let [sum, of] = [0, 0];
  for (const { id, tasks } of lessons) {
    sum += (done[id] ?? []).filter((task) => task < tasks).length;
    of += tasks;
  }
  return { done: sum, of };
}
