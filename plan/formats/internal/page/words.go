package page

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/formats/internal/wordlist"
)

// A Role is what a heading says its section is for.
type Role int

const (
	Open  Role = iota // the heading does not say
	Work              // "Steps": what is to be done
	Aside             // "Context": what helps those who do it
	Proof             // "Verification": how all is found to be done
	Goal              // "Goal": what for
)

// marks are what people put before a heading that counts.
const marks = "✅☑✔🚀🔧🎯📋🏗⚙🧪🎨📦🔥⭐\ufe0f"

// These are parts of a number that a heading of any language begins with.
const (
	anyNumber   = `(?:\d+(?:\.\d+)*|[一二三四五六七八九十])[a-z]?`
	measureWord = `(?:步|章|阶段|階段|단계)?`
)

var (
	// numbered is a heading that begins with a word and a number, in any language:
	// "Schritt 2: …", "Étape 1 : …", "步骤1：…", "第2步".
	numbered = lazyre.New(`^(\pL+)\s*[#№]?(` + anyNumber + `)` + measureWord + `(?:\s*[:：.)、–—-]|\s|$)`)
	// series is such a beginning with what parts it from the text.
	series = lazyre.New(`^\pL+\s*[#№]?` + anyNumber + measureWord + `\s*[:：.)、–—-]?\s*`)
	// leading is a number that a heading begins with.
	leading = lazyre.New(`^\d+(?:\.\d+)*(?:[.):]|\s|$)`)

	// These are what headings say, in small letters.
	workHead = lazyre.New(`^(?:(?:implementation|execution|action|work|project|development|detailed|high-level|` +
		`proposed|recommended|remaining|next|more|main|concrete|key|pending|outstanding|open|upcoming|immediate|` +
		`initial)\s+)*` +
		`(?:steps?|plans?|tasks?|to[- ]?dos?|(?:to[- ]?do|task)[ -]list|items?|checklist|changes|solution|` +
		`implementation|approach|phases|milestones|sprints|roadmap|work|breakdown|methodology)` +
		`(?:\s+(?:to take|to make|by step|steps|plan|details|breakdown|order|list|items|tasks|checklist))*` +
		`(?:\s+for\s.+|\s+to\s+(?:complete|reach|finish|implement|build|get|add|fix)\b.*)?$`)
	asideHead = lazyre.New(`^(?:(?:technical|important|additional|current|existing|key|critical|relevant|affected|` +
		`related|open|project|problem|executive|other|known|scientific|success)\s+)*` +
		`(?:context|background|overview|introduction|intro|summary|motivation|problem|statement|rationale|why|` +
		`notes?|references?|links?|resources|files?|questions?|risks?|assumptions?|constraints?|requirements?|` +
		`scope|out of scope|non-?goals?|dependencies|prerequisites?|decisions?|alternatives?|architecture|design|` +
		`state|situation|behaviou?r|considerations?|limitations?|glossary|timeline|estimates?|rollback(?: plan)?|` +
		`risk mitigations?|timeline estimates?|steps to reproduce|reproduction(?: steps)?|metrics|deferred|` +
		`future(?: work)?|findings|analysis|research|tech(?:nology)? stack|stack|conventions?|rules|legend|` +
		`structure|layout|data flow|completed|done|instructions|status|progress)` +
		`(?:\s+(?:to (?:change|modify|edit|create|touch)|for implementation|considered|involved|enhancements?|` +
		`and .+|\(.+))*$`)
	proofHead = lazyre.New(`^(?:(?:final|manual|automated|overall|end-to-end)\s+)*` +
		`(?:verification|verify|validation|acceptance(?: criteria| tests?)?|success criteria|completion criteria|` +
		`exit criteria|definition of (?:done|complete)|done when|how to (?:test|verify)|testing|tests?|test plan|` +
		`qa|checks|pre-merge|review checklist)` +
		`(?:\s+(?:plan|strategy|steps|checklist|list|criteria|\(.*|(?:and|&) .*))*$`)
	// tests are headings of proof below which tests may be to be written.
	tests    = lazyre.New(`^(?i:testing|tests?)$`)
	goalHead = lazyre.New(`^(?:the\s+)?(?:goals?|objectives?|purpose|aim|outcome|task description)(?:\s+of .+)?$`)
	// scopeHead is a heading above all files that change.
	scopeHead = lazyre.New(`^(?:(?:all|critical|affected|changed|modified|touched)\s+)+files?\b` +
		`(?: \(.*| for implementation| to .*| and .*)?$|` +
		`^(?:(?:key|new|main)\s+)?files?\s+(?:changed|affected|modified|touched|` +
		`to (?:be )?(?:chang|modif|edit|creat|touch|updat|add|delet|remov))`)
)

// Headings of other languages, in small letters, with underlines for blanks.
var (
	workWords = wordlist.List{Text: `
		schritte aufgaben umsetzung umsetzungsschritte implementierung vorgehen arbeitsschritte maßnahmen
		plan_der_umsetzung
		étapes tâches mise_en_œuvre mise_en_oeuvre implémentation travaux plan_d'action
		pasos tareas implementación plan_de_implementación plan_de_acción etapas passos tarefas implementação
		plano_de_implementação plano_de_ação passi passaggi attività compiti implementazione
		stappen taken uitvoering implementatie kroki zadania wdrożenie steg uppgifter trin opgaver
		шаги задачи план этапы реализация план_работ план_реализации adımlar görevler
		步骤 实施步骤 实现步骤 任务 任务列表 开发任务 主要工作内容 工作内容 计划 开发计划 实施计划 实现计划 待办 待办事项
		步驟 任務 手順 ステップ タスク 実装 実装手順 実装計画 作業 作業内容 やること 단계 작업 구현 구현_단계 할_일`}
	asideWords = wordlist.List{Text: `
		kontext hintergrund überblick übersicht einleitung ausgangslage zusammenfassung risiken risiko annahmen
		hinweise notizen
		offene_fragen nicht-ziele abhängigkeiten voraussetzungen dateien betroffene_dateien architektur anforderungen
		contexte résumé risques remarques hypothèses questions_ouvertes fichiers dépendances périmètre
		hors_périmètre prérequis
		contexto antecedentes resumen resumo riesgos riscos notas supuestos premissas preguntas_abiertas
		archivos arquivos
		alcance escopo fuera_de_alcance fora_do_escopo dependencias dependências arquitectura arquitetura
		contesto riepilogo rischi note domande_aperte dipendenze achtergrond samenvatting risico's notities
		kontekst ryzyka uwagi
		контекст обзор введение риски примечания заметки вопросы файлы зависимости архитектура ограничения
		背景 上下文 概述 简介 风险 备注 说明 总结 注意事项 技术栈 架构 依赖 概要 前提 リスク 注意 注意点 備考 補足 参考
		背景と目的 배경 개요 위험 참고 요약`}
	proofWords = wordlist.List{Text: `
		akzeptanzkriterien abnahme abnahmekriterien überprüfung prüfung verifikation verifizierung testen fertig_wenn
		vérification critères_d'acceptation critères_d’acceptation validation recette
		verificación criterios_de_aceptación validación pruebas verificação critérios_de_aceitação validação testes
		verifica criteri_di_accettazione verificatie acceptatiecriteria weryfikacja kryteria_akceptacji
		проверка критерии_приемки критерии_приёмки тестирование 验收标准 验证 验收 测试 驗收標準 検証 受け入れ基準 受入基準
		確認 テスト 검증 완료_조건 인수_조건 테스트`}
	goalWords = wordlist.List{Text: `
		ziel ziele zielsetzung objectif objectifs objetivo objetivos obiettivo obiettivi doel doelen cel cele
		цель цели 目标 目標 目的 ゴール 목표`}
	scopeWords = wordlist.List{Text: `
		betroffene_dateien zu_ändernde_dateien fichiers_à_modifier archivos_a_modificar arquivos_a_modificar`}
	// aboutWords are headings of pages that are about something, and no plans.
	aboutWords = wordlist.List{Text: `
		installation install installing usage getting_started quick_start quickstart features license licence
		contributing contributors support changelog credits acknowledgements acknowledgments demo screenshots
		examples faq
		read_next see_also further_reading`}
	// listing are words before numbers of headings that count no work.
	listing = wordlist.List{Text: `
		option question layer version appendix figure table risk example case scenario note alternative v issue
		problem finding decision requirement level checkpoint tier section chapter q id adr rule principle goal
		variant approach frage risiko
		variante beispiel kapitel abschnitt anhang question risque annexe chapitre opción riesgo opção risco
		вопрос вариант глава 方案 章 附录`}
)

// RoleOf reads a heading.
func RoleOf(text string) Role {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "~~") && strings.HasSuffix(text, "~~") {
		return Aside // it was struck out
	}
	text = spoken(text)
	key := strings.ReplaceAll(text, " ", "_")
	switch {
	case goalHead.MatchString(text) || goalWords.Has(key):
		return Goal
	case workHead.MatchString(text) || workWords.Has(key):
		return Work
	case asideHead.MatchString(text) || asideWords.Has(key) || scopeHead.MatchString(text) || scopeWords.Has(key):
		return Aside
	case proofHead.MatchString(text) || proofWords.Has(key):
		return Proof
	}
	return Open
}

// Scope reports whether a section lists all files that change.
func (s Section) Scope() bool {
	text := spoken(s.Text)
	return scopeHead.MatchString(text) || scopeWords.Has(strings.ReplaceAll(text, " ", "_"))
}

// about reports whether a heading is one of pages that are no plans.
func about(text string) bool { return aboutWords.Has(strings.ReplaceAll(spoken(text), " ", "_")) }

// spoken are the words of a heading, in small letters, without number and
// ornaments.
func spoken(text string) string {
	text = ordinal.ReplaceAllString(ornament.ReplaceAllString(text, ""), "")
	return strings.ToLower(ornament.ReplaceAllString(text, ""))
}
