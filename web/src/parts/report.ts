// Reasons of reports, in words.
import type { ReportReason } from '../api/types';

export const REASONS: Record<ReportReason, string> = {
  abuse: 'Insults, threats, harassment',
  cheating: 'Help from a program, or an arranged result',
  stalling: 'Games left or dragged out on purpose',
  name: 'A name that offends, or pretends to be somebody',
  spam: 'Advertising, or the same again and again',
  other: 'Something else',
};
