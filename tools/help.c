/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of subcommands and options as help texts, man pages, and completion of bash and zsh. */
#include "tool.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int takes(const command *command, int row)
{
  return (option_rows[row].commands & command->bit) != 0;
}

void print_help(const command *command)
{
  printf("Usage: isowarp %s [OPTION...]%s%s\n\n%c%s.\n", command->name, *command->operands ? " " : "",
         command->operands, command->summary[0] - 'a' + 'A', command->summary + 1);
  if (*command->notes)
    printf("%s\n", command->notes);
  if (command->bit & WITH_FILE)
    printf("FILE holds NumPy .npy, raw binary, numbers in text (blanks or line ends between them), or CSV;\n"
           "'-' is standard input. In text and CSV, lines that start with '#' are skipped.\n");
  printf("\n");
  for (int i = 0; i < option_row_count; i++) {
    if (!takes(command, i))
      continue;
    char left[40];
    const option_row *const row = &option_rows[i];
    const char *const argument = row->argument;
    if (argument == NULL)
      snprintf(left, sizeof left, "--%s", row->name);
    else if (*argument == '[')
      snprintf(left, sizeof left, "--%s[=%s", row->name, argument + 1);
    else
      snprintf(left, sizeof left, "--%s %s", row->name, argument);
    printf("  %-18s ", left);
    for (const char *c = row->help; *c; c++) {
      putchar(*c);
      if (*c == '\n')
        printf("%21s", "");
    }
    putchar('\n');
  }
  printf("\nExample:\n  %s\n", command->example);
}

/* ---- Man pages ---- */

/* Text for roff; a line may not begin with a full stop or an apostrophe. */
static void put_roff(const char *text, int joins_lines)
{
  int starts = 1;
  for (; *text; text++) {
    if (starts && (*text == '.' || *text == '\''))
      fputs("\\&", stdout);
    if (*text == '\\')
      fputs("\\e", stdout);
    else if (*text == '-')
      fputs("\\-", stdout);
    else
      putchar(*text == '\n' && joins_lines ? ' ' : *text);
    starts = *text == '\n';
  }
}

/* Notes: lines that begin with blanks are set as they are. */
static void put_notes(const char *notes)
{
  int as_is = 0;
  while (*notes) {
    const size_t length = strcspn(notes, "\n");
    char line[200];
    snprintf(line, sizeof line, "%.*s", (int)length, notes);
    if ((line[0] == ' ') != as_is)
      fputs(as_is ? ".fi\n" : ".nf\n", stdout);
    as_is = line[0] == ' ';
    put_roff(line, 0);
    putchar('\n');
    notes += length + (notes[length] == '\n');
  }
  if (as_is)
    fputs(".fi\n", stdout);
}

static void put_title(const char *name, const char *summary)
{
  printf(".\\\" Made by isowarp from its table of options.\n.TH ");
  for (const char *c = name; *c; c++)
    putchar(toupper((unsigned char)*c));
  printf(" 1 \"\" \"isowarp %s\" \"User Commands\"\n.SH NAME\n", iw_version());
  put_roff(name, 0);
  fputs(" \\- ", stdout);
  put_roff(summary, 1);
  putchar('\n');
}

static void put_option(const option_row *row)
{
  fputs(".TP\n", stdout);
  if (isalpha(row->code) && row->code < 128)
    printf("\\fB\\-%c\\fR, ", row->code);
  fputs("\\fB\\-\\-", stdout);
  put_roff(row->name, 0);
  fputs("\\fR", stdout);
  if (row->argument != NULL && *row->argument == '[')
    printf("[=\\fI%.*s\\fR]", (int)strlen(row->argument) - 2, row->argument + 1);
  else if (row->argument != NULL)
    printf(" \\fI%s\\fR", row->argument);
  putchar('\n');
  put_roff(row->help, 1);
  putchar('\n');
}

static const char statuses[] =
  ".SH EXIT STATUS\n0: success. 1: a check failed. 2: wrong usage or input. 3: the simulated GPU\n"
  "(\\fB\\-\\-backend sim\\fR) found an error in a kernel.\n";

static void print_command_manual(const command *command)
{
  char name[40];
  snprintf(name, sizeof name, "isowarp-%s", command->name);
  put_title(name, command->summary);
  fputs(".SH SYNOPSIS\n\\fBisowarp ", stdout);
  put_roff(command->name, 0);
  printf("\\fR [\\fIOPTION\\fR...] \\fI%s\\fR\n.SH DESCRIPTION\n", command->operands);
  if (command->bit & WITH_FILE)
    fputs("\\fIFILE\\fR holds NumPy .npy, raw binary, numbers in text (blanks or line ends between them),\n"
          "or CSV; \\(aq\\-\\(aq is standard input. In text and CSV, lines that start with \\(aq#\\(aq "
          "are skipped.\n.PP\n", stdout);
  put_notes(*command->notes ? command->notes : "This subcommand has no operand.");
  fputs(".SH OPTIONS\n", stdout);
  for (int i = 0; i < option_row_count; i++)
    if (takes(command, i))
      put_option(&option_rows[i]);
  fputs(statuses, stdout);
  fputs(".SH EXAMPLE\n.nf\n", stdout);
  put_roff(command->example, 0);
  fputs("\n.fi\n.SH SEE ALSO\n\\fBisowarp\\fR(1), \\fBlibisowarp\\fR(3)\n", stdout);
}

static void print_program_manual(void)
{
  static const struct { const char *name, *meaning; } variables[] = {
    { "ISOWARP_BACKEND", "the backend if no option chooses one: auto, cpu, cuda or sim" },
    { "ISOWARP_THREADS", "the number of CPU threads if no option gives it" },
    { "ISOWARP_SIM_DEVICE, ISOWARP_SIM_SCHEDULE, ISOWARP_SIM_SEED, ISOWARP_SIM_RESIDENT, ISOWARP_SIM_CHECKS",
      "the simulated GPU: its model, the order in which its blocks run, the seed of that order, the number "
      "of resident blocks, and the checks" },
    { "ISOWARP_SIM_REPORT, ISOWARP_SIM_COUNT",
      "files for the findings and the counts of the simulated GPU" },
    { "ISOWARP_CFLAGS, CC, NVCC, NVCCFLAGS",
      "compilers and their options for \\fBisowarp run\\fR and \\fBisowarp compile\\fR" },
    { "COLUMNS", "the width of charts" },
  };
  put_title("isowarp",
            "scan, reduce, count, partition and split arrays with the same bits on every machine");
  fputs(".SH SYNOPSIS\n\\fBisowarp\\fR \\fISUBCOMMAND\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR]\n"
        ".SH SUBCOMMANDS\n", stdout);
  for (const command *c = commands; c->name != NULL; c++) {
    fputs(".TP\n\\fBisowarp\\-", stdout);
    put_roff(c->name, 0);
    fputs("\\fR(1)\n", stdout);
    put_roff(c->summary, 1);
    putchar('\n');
  }
  fputs(".PP\n\\fBisowarp\\fR \\fISUBCOMMAND\\fR \\fB\\-\\-help\\fR lists the options of one,\n"
        "\\fBisowarp \\-\\-version\\fR prints the version.\n", stdout);
  fputs(statuses, stdout);
  fputs(".SH ENVIRONMENT\n", stdout);
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    printf(".TP\n\\fB%s\\fR\n%s\n", variables[i].name, variables[i].meaning);
  fputs(".SH SEE ALSO\n\\fBlibisowarp\\fR(3)\n", stdout);
}

void print_manual(const command *command)
{
  if (command == NULL)
    print_program_manual();
  else
    print_command_manual(command);
}

/* ---- Completion ---- */

static void put_words(const char *const *words)
{
  for (; words != NULL && *words != NULL; words++)
    printf("%s%s", *words, words[1] != NULL ? " " : "");
}

void print_completion_bash(void)
{
  fputs("# bash completion of isowarp, made by isowarp from its table of options.\n"
        "_isowarp() {\n"
        "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=\n"
        "  COMPREPLY=()\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W '--help --version", stdout);
  for (const command *c = commands; c->name != NULL; c++)
    printf(" %s", c->name);
  fputs("' -- \"$current\")\n"
        "    return\n"
        "  fi\n"
        "  case ${COMP_WORDS[1]}:$before in\n", stdout);
  for (const command *c = commands; c->name != NULL; c++)
    for (int i = 0; i < option_row_count; i++) {
      const char *const *const words = option_values(option_rows[i].code, c->bit);
      const char *const argument = option_rows[i].argument;
      if (!takes(c, i) || words == NULL || argument == NULL || *argument == '[')
        continue;
      printf("    %s:--%s) mapfile -t COMPREPLY < <(compgen -W '", c->name, option_rows[i].name);
      put_words(words);
      fputs("' -- \"$current\"); return ;;\n", stdout);
    }
  fputs("  esac\n"
        "  case ${COMP_WORDS[1]} in\n", stdout);
  for (const command *c = commands; c->name != NULL; c++) {
    printf("    %s) options='", c->name);
    for (int i = 0; i < option_row_count; i++)
      if (takes(c, i))
        printf("--%s ", option_rows[i].name);
    fputs("' ;;\n", stdout);
  }
  fputs("  esac\n"
        "  case $current in\n"
        "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\") ;;\n"
        "    *) mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;\n"
        "  esac\n"
        "}\n"
        "complete -o filenames -F _isowarp isowarp\n", stdout);
}

/* Text within '…' and […] of zsh's _arguments. */
static void put_zsh(const char *text)
{
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", stdout);
    else if (*text == '[' || *text == ']' || *text == ':')
      printf("\\%c", *text);
    else
      putchar(*text == '\n' ? ' ' : *text);
}

static void put_zsh_option(const option_row *row, unsigned bit)
{
  const char *const *const words = option_values(row->code, bit);
  const int may = row->argument != NULL && *row->argument == '[';
  printf(" \\\n        '--%s%s[", row->name, row->argument == NULL ? "" : may ? "=-" : "=");
  put_zsh(row->help);
  putchar(']');
  if (row->argument != NULL) {
    fputs(may ? "::" : ":", stdout);
    put_zsh(row->argument);
    putchar(':');
    if (words != NULL) {
      putchar('(');
      put_words(words);
      putchar(')');
    } else if (strstr(row->argument, "FILE") != NULL)
      fputs("_files", stdout);
  }
  putchar('\'');
}

void print_completion_zsh(void)
{
  fputs("#compdef isowarp\n"
        "# zsh completion of isowarp, made by isowarp from its table of options.\n"
        "_isowarp() {\n"
        "  local -a subcommands=(", stdout);
  for (const command *c = commands; c->name != NULL; c++) {
    printf("\n    '%s:", c->name);
    put_zsh(c->summary);
    putchar('\'');
  }
  fputs(")\n"
        "  if (( CURRENT == 2 )); then\n"
        "    _describe subcommand subcommands\n"
        "    return\n"
        "  fi\n"
        "  local name=$words[2]\n"
        "  shift words\n"
        "  (( CURRENT-- ))\n"
        "  case $name in\n", stdout);
  for (const command *c = commands; c->name != NULL; c++) {
    printf("    %s)\n      _arguments -S", c->name);
    for (int i = 0; i < option_row_count; i++)
      if (takes(c, i))
        put_zsh_option(&option_rows[i], c->bit);
    fputs(" \\\n        '*:file:_files' ;;\n", stdout);
  }
  fputs("  esac\n"
        "}\n"
        "_isowarp \"$@\"\n", stdout);
}
