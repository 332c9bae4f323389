package page

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/wordlist"
)

// A Row is a row of a table of tasks.
type Row struct {
	Number, Title string
	Files         string // what its column of files says
	After         string // what it waits for
	Done          bool
	Rest          []string // its other cells, each with the name of its column
}

var (
	// ruled is the line below the head of a table.
	ruled = lazyre.New(`^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$`)
	// digits are a number alone, of a row or of a step.
	digits = lazyre.New(`^#?(?:\pL{0,5}-?)?\d+(?:\.\d+)*\.?$`)
)

// What the columns of a table of tasks are called.
var (
	taskColumn = wordlist.List{Text: `
		task tasks step steps action todo work_item aufgabe aufgaben schritt tâche étape tarea paso tarefa
		passo attività passo taak stap zadanie krok задача шаг 任务 步骤 タスク 手順 作業 작업 단계`}
	// weakColumn are names of a column of tasks below a heading that is called work.
	weakColumn = wordlist.List{Text: `
		what change changes item title description details deliverable name beschreibung description descripción
		内容 描述 説明`}
	numberColumn = wordlist.List{Text: `# no no. nr nr. id number № step phase priority_# 编号 序号`}
	fileColumn   = wordlist.List{Text: `
		file files path paths location where datei dateien fichier fichiers archivo arquivo файл 文件 ファイル`}
	afterColumn = wordlist.List{Text: `
		depends depends_on dependencies dependency after blocked_by requires abhängig_von dépend_de depende_de 依赖 依存`}
	statusColumn = wordlist.List{Text: `status state done ✓ ✅ stand état estado статус 状态 状態`}
	doneWords    = wordlist.List{Text: `
		done completed complete finished closed x yes ✅ ✔ ✔️ ☑ [x] ✓ erledigt fertig fait terminé hecho feito
		готово 完成 已完成 完了`}
)

// table reads a table of tasks whose head is a line, and returns how many lines it
// has; 0: there is none.
func (p *Page) table(t *outline.Text, i int, of Role) int {
	if !strings.Contains(t.Line(i), "|") || i+2 >= len(t.Lines) || t.Lines[i+1].Hidden ||
		!strings.Contains(t.Line(i+1), "|") || !ruled.MatchString(t.Line(i+1)) {
		return 0
	}
	head := cells(t.Line(i))
	is := make([]string, len(head))
	for c, name := range head {
		is[c] = strings.ReplaceAll(strings.ToLower(Plain(name)), " ", "_")
	}
	end := i + 2
	for end < len(t.Lines) && !t.Lines[end].Hidden && strings.Contains(t.Line(end), "|") {
		end++
	}
	task := column(is, &taskColumn)
	if first := cells(t.Line(i + 2)); end > i+2 && (task < 0 || task >= len(first) || digits.MatchString(first[task])) {
		strong := task >= 0 // its numbers stand in a column that is called so
		if task = column(is, &weakColumn); !strong && of != Work {
			task = -1
		}
	}
	if task < 0 || end == i+2 {
		return 0
	}
	for n := i + 2; n < end; n++ {
		if r := row(cells(t.Line(n)), head, is, task); r.Title != "" {
			p.Rows[n] = r
		}
	}
	return end - i
}

// column is the first column with a name of a list, -1 for none.
func column(names []string, list *wordlist.List) int {
	for c, name := range names {
		if list.Has(name) {
			return c
		}
	}
	return -1
}

// row reads the cells of a row whose task stands in a column.
func row(list, head, is []string, task int) (r Row) {
	for c, text := range list {
		switch {
		case c >= len(is) || text == "":
		case c == task:
			r.Title = Plain(text)
		case fileColumn.Has(is[c]):
			r.Files = text
		case afterColumn.Has(is[c]):
			r.After = text
		case statusColumn.Has(is[c]):
			r.Done = doneWords.Has(strings.ToLower(strings.Trim(Plain(text), "`* ")))
		case r.Number == "" && (numberColumn.Has(is[c]) || taskColumn.Has(is[c])) && digits.MatchString(text):
			r.Number = strings.TrimRight(strings.TrimLeft(text, "#"), ".")
		default:
			r.Rest = append(r.Rest, head[c]+": "+text)
		}
	}
	return r
}

// cells are those of a row, without what parts them.
func cells(line string) (list []string) {
	line = strings.TrimSpace(line)
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	from, code := 0, false
	for i := 0; i <= len(line); i++ {
		switch {
		case i == len(line) || line[i] == '|' && !code && (i == 0 || line[i-1] != '\\'):
			list = append(list, strings.TrimSpace(strings.ReplaceAll(line[from:i], `\|`, "|")))
			from = i + 1
		case line[i] == '`':
			code = !code
		}
	}
	return list
}
